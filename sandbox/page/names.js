// Who and what the ids stand for; filled once the workspace has told.

export const names = { people: {}, channels: {}, presence: {}, commands: [], shortcuts: [] };

export const person = (id) => names.people[id] || { id, name: id === "USLACKBOT" ? "Slackbot" : id || "Somebody" };

export const channel = (id) => names.channels[id] || id;

export const humans = () => Object.values(names.people).filter((each) => !each.is_bot);

export const isAway = (id) => names.presence[id] === "away";

export const nameOf = (place) => (place.name ? `# ${place.name}` : person(place.with).name);
