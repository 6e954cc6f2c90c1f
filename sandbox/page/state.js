// State of the page: the current place and data, written by `address` and `stream`, read by the rendering modules.

export const state = {
  user: null,
  channel: null,
  thread: null,
  tab: null,
  target: null,
  screen: null,
};

export function conversation(id = state.channel) {
  const { screen } = state;
  return screen && [...screen.channels, ...screen.dms].find((each) => each.id === id);
}

export const root = () => conversation()?.messages.find((message) => message.ts === state.thread);

export const isHome = () => state.tab === "home" && Boolean(conversation()?.with);

export const everything = (place) => place.messages.flatMap((message) => [message, ...(message.replies || [])]);
