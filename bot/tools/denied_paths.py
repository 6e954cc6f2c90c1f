"""Deny-list of file names that no agent and no command ever reads: credentials, at any path.

Names are compared without case and invisible characters, and with look-alike letters as equal.
"""

from __future__ import annotations

import unicodedata
from fnmatch import fnmatchcase
from functools import lru_cache

from bot.models.visible import latin, strip_invisible


def _split_names(text: str) -> tuple[str, ...]:
    return tuple(name for row in text.splitlines() if not row.startswith("#") for name in row.split())


NAMES = _split_names("""
# Settings of environments
.env* *.env *.env.* .flaskenv .dev.vars*
# Version control and its tokens
.git .hg .svn .bzr .git-credentials* .gitcookies .hgrc
# Folders of a user's credentials
.ssh .gnupg .aws .kube .docker .azure .oci .aliyun .bluemix .ibmcloud .chef .vault .minikube .pulumi .terraform
.terraform.d .password-store .op .fly .databricks .snowflake .huggingface .kaggle .dbt .electrum .bitcoin .ethereum
.mozilla .thunderbird .purple .irssi secrets .secrets .secret .credentials .private keychains .local-secrets
# Tokens of package registries and tools
.npmrc .yarnrc* .netrc* _netrc* .pypirc pip.conf pip.ini .dockercfg .dockerconfigjson .boto .s3cfg .rclone.conf
rclone.conf .terraformrc terraform.rc auth.json token.json application_default_credentials* adc.json client_secret*
client-secret* credentials* .credentials* *-credentials.json *_credentials.json service-account*.json
service_account*.json serviceaccount*.json *-service-account*.json *_service_account*.json gha-creds-*.json
*-sa.json access_tokens.db kubeconfig* *.kubeconfig admin.conf .databrickscfg .snowsql .kaggle.json kaggle.json
.dockerhub .authinfo* .fetchmailrc .msmtprc .mbsyncrc .offlineimaprc .ftpconfig sftp-config.json sftp.json
.remote-sync.json filezilla.xml sitemanager.xml recentservers.xml winscp.ini .esmtprc .twurlrc .trc .tugboat .gist
.openstack clouds.yaml clouds.yml *-openrc.sh .cdsapirc .gem .travis.token
# Passwords of databases and servers
.pgpass pgpass.conf .my.cnf .mylogin.cnf .dbshell .htpasswd* htpasswd master.passwd proftpdpasswd wp-config.php
wp-config.php.* knife.rb robomongo.json dbeaver-data-sources.xml secrets.* secret.y*ml secret.json secret.txt
*.secret *.secrets *.secrets.* .vault-token .vault_pass* .vault-pass* vault_pass* vault-pass* vault.pass* *.tfvars
*.tfvars.json *.tfstate* settings-security.xml
# Keys, under whatever ending
*.pem *.pem.* *.key *.key.* *.p8 *.p12 *.pfx *.pk8 *.pkcs8 *.pkcs12 *.ppk *.jks *.jceks *.keystore *.truststore
*.bks *.bcfks *.bcfips *.keytab *.kdb *.kdbx *.psafe3 *.agilekeychain *.keychain *.keychain-db *.kwallet *.opvault
*.1pux *.gpg *.pgp *.snk *.ovpn *.rdp *.agekey *.privkey *.private secring.* pubring.kbx id_rsa* id_dsa* id_ecdsa*
id_ed25519* id_xmss* *_rsa *_dsa *_ecdsa *_ed25519 ssh_host_*_key* krb5cc_* wallet.dat *.wallet otr.private_key
key3.db key4.db logins.json cookies.sqlite login?data*
# What was typed
.*_history .*_history.* .history fish_history .lesshst .viminfo consolehost_history.txt .rediscli_history
.node_repl_history *.sh_history .recently-used*
""")
"""Patterns of denied names; a path is denied when any part of it matches."""

PLACES = _split_names("""
.config/gh .config/hub .config/glab-cli .config/gcloud .config/doctl .config/op .config/helm .config/rclone
.config/containers .config/configstore .config/heroku .config/netlify .config/vercel .config/stripe .config/sops
.config/git .config/google-chrome .config/chromium .m2/settings*.xml .gradle/gradle.properties .bundle/config
.cargo/credentials* .composer/auth.json .subversion/auth .cache/huggingface .local/share/keyrings etc/ssl/private
etc/shadow* etc/gshadow*
""")
"""Paths of denied names that apply only below a folder of a certain name."""

_NAMES = tuple(name.casefold() for name in NAMES)
_PLACES: dict[str, list[tuple[str, ...]]] = {}
for _folder, *_rest in (place.casefold().split("/") for place in PLACES):
    _PLACES.setdefault(_folder, []).append(tuple(_rest))

GLOBS = (*NAMES, *(f"**/{place}" for place in PLACES))
"""The deny-list as ripgrep's globs, each in any case."""


def denied_part(path: str) -> str:
    """Return the part of a path, as written, that is denied; empty if none is."""
    parts = [part for part in path.split("/") if part]
    return next((part for at, part in enumerate(parts) if is_denied("/".join(parts[: at + 1]))), "")


def is_denied(path: str) -> bool:
    """Return whether any part of a path is on the list."""
    whole = [_normalise_name(part) for part in path.replace("\\", "/").split("/")]
    bare_of_streams = [part.split(":")[0] for part in whole]
    return _has_denied_part(whole) or (bare_of_streams != whole and _has_denied_part(bare_of_streams))


def _has_denied_part(parts: list[str]) -> bool:
    return any(map(_denied_name, parts)) or any(
        _ends_with(parts[at:], rest) for at, part in enumerate(parts, 1) for rest in _PLACES.get(part, ())
    )


def _ends_with(parts: list[str], rest: tuple[str, ...]) -> bool:
    return len(parts) >= len(rest) and all(map(fnmatchcase, parts, rest))


@lru_cache(maxsize=8192)
def _denied_name(name: str) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in _NAMES)


@lru_cache(maxsize=8192)
def _normalise_name(name: str) -> str:
    """Normalize a name for comparison; some systems drop dots and blanks at its end."""
    folded = unicodedata.normalize("NFKC", latin(strip_invisible(name))).casefold()
    return folded.rstrip(". ") or folded
