// Common emoji; any other name is shown as :name:.

const EMOJI = {
  "+1": "👍", thumbsup: "👍", "-1": "👎", thumbsdown: "👎", eyes: "👀", white_check_mark: "✅", heavy_check_mark: "✔️",
  x: "❌", warning: "⚠️", tada: "🎉", pray: "🙏", heart: "❤️", rocket: "🚀", thinking_face: "🤔", mag: "🔍", memo: "📝",
  speech_balloon: "💬", red_circle: "🔴", large_green_circle: "🟢", large_yellow_circle: "🟡", large_blue_circle: "🔵",
  white_circle: "⚪", no_entry: "⛔", bulb: "💡", robot_face: "🤖", raised_hands: "🙌", ok_hand: "👌", fire: "🔥",
  question: "❓", exclamation: "❗", arrows_counterclockwise: "🔄", bell: "🔔", mute: "🔇", no_bell: "🔕", lock: "🔒",
  page_facing_up: "📄", clipboard: "📋", writing_hand: "✍️", double_vertical_bar: "⏸️", octagonal_sign: "🛑", wave: "👋",
  inbox_tray: "📥", zzz: "💤", hourglass: "⌛", hourglass_flowing_sand: "⏳", stopwatch: "⏱️", calendar: "📆", link: "🔗",
  wrench: "🔧", hammer_and_wrench: "🛠️", hammer: "🔨", mailbox: "📫", rotating_light: "🚨", sos: "🆘", see_no_evil: "🙈", smile: "😄",
  slightly_smiling_face: "🙂", sweat_smile: "😅", joy: "😂", sob: "😭", clap: "👏", muscle: "💪", seedling: "🌱",
};

export const QUICK = ["+1", "eyes", "white_check_mark"];
export const MORE = [
  "+1", "-1", "eyes", "white_check_mark", "x", "tada", "heart", "pray", "thinking_face", "question", "bulb", "fire", "rocket",
  "clap", "raised_hands", "joy", "sob", "wave",
];

export const emoji = (name) => (Object.hasOwn(EMOJI, name) ? EMOJI[name] : `:${name}:`);

export const emojiBeginning = (start) => Object.keys(EMOJI).filter((name) => name.startsWith(start));
