# The bot as an ordinary user with one folder that it can write, /state. docs/deploy.md says how to run it; compose.yml does.
FROM python:3.13-slim AS build
WORKDIR /src
COPY . .
RUN python -m venv /opt/triage \
    && /opt/triage/bin/pip install --no-cache-dir --no-deps --require-hashes --requirement requirements-image.txt \
    && /opt/triage/bin/pip install --no-cache-dir --no-deps .

FROM python:3.13-slim
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git bubblewrap \
    && rm -rf /var/lib/apt/lists/*
RUN useradd --uid 10001 --no-create-home triage \
    && install --directory --mode 700 --owner triage --group triage /state
COPY --from=build /opt/triage /opt/triage
ENV PATH=/opt/triage/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    TRIAGE_HOME=/state \
    TRIAGE_CONFIG=/config/triage.yml
USER 10001
WORKDIR /state
VOLUME ["/state"]
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 CMD ["triage", "alive"]
ENTRYPOINT ["triage"]
CMD ["run"]
