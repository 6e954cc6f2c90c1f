// App Home: a tab beside the messages with the app, rendered from the view that the app published.

import { renderBlocks } from "./blocks.js";
import { $, call, el, keepingFocus, notice } from "./dom.js";
import { nameOf } from "./names.js";
import { state } from "./state.js";
import { putBack, valuesOf } from "./widgets.js";

let drawn = null;

export function showHome(place, view) {
  const now = JSON.stringify([state.user, place.id, view?.id, view?.hash, view?.blocks]);
  if (drawn === now) return;
  drawn = now;
  const home = $("home");
  const values = valuesOf(home);
  keepingFocus(home, () => home.replaceChildren(...(view ? blocks(view) : nothing(place))));
  putBack(home, values);
}

function blocks(view) {
  const { user } = state;
  const press = async (element, value) => {
    const wish = { user, view_id: view.id, action_id: element.action_id, value, values: valuesOf($("home")) };
    const answer = await call("/human/press", wish);
    if (!answer.ok) notice(`That did not work: ${answer.error}`);
    else if (!answer.acked) notice("⚠️ The app did not answer in time.");
  };
  return renderBlocks(view.blocks, press, 2);
}

const nothing = (place) => [el("p", { class: "nothing" }, `${nameOf(place)} has not published a Home for you yet.`)];
