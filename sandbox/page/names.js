// Names by id, filled from the workspace's directory.

export const names = { people: {}, channels: {}, presence: {}, commands: [], shortcuts: [] };

export const person = (id) => names.people[id] || { id, name: id === "USLACKBOT" ? "Slackbot" : id || "Somebody" };

export const channel = (id) => names.channels[id] || id;

export const humans = () => Object.values(names.people).filter((each) => !each.is_bot && !each.is_deactivated);

export const isAway = (id) => names.presence[id] === "away";

// Notice about a channel, shown before writing there.
export const noteOf = (place) => [place.is_archived && "archived", place.shared_with?.length && `shared with ${place.shared_with.join(", ")}`].filter(Boolean).join(", ");

// Badge beside a person's name.
export const badgeOf = (who, me) => [who.is_bot && "APP", who.is_deactivated && "DEACTIVATED", who.team && who.team !== person(me).team && who.team_name].filter(Boolean);

export const nameOf = (place) => (place.name ? `# ${place.name}` : person(place.with).name);
