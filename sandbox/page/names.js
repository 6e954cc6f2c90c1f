// Who and what the ids stand for; filled once the workspace has told.

export const names = { people: {}, channels: {} };

export const person = (id) => names.people[id] || { id, name: id === "USLACKBOT" ? "Slackbot" : id };

export const channel = (id) => names.channels[id] || id;

export const humans = () => Object.values(names.people).filter((each) => !each.is_bot);
