export interface Shortcut {
  /**
   * Keys held together are joined by "+"; keys pressed in sequence are separated by a space. `mod` is Ctrl, or Command
   * on a Mac.
   */
  keys: string
  does: string
  /** ID of the command for the same. */
  id?: string
  /** A single letter or symbol. Off while typing, or if disabled. */
  single?: true
  /** Part of the screen handles the keys, although there is a command. */
  local?: true
}

/** All shortcuts of the studio, for the keyboard handler, the guide and the help. */
export const shortcuts: Shortcut[] = [
  { keys: "mod+k", does: "Search sessions, files and commands", id: "palette" },
  { keys: "enter", does: "Send message" },
  { keys: "shift+enter", does: "Start a new line in a message" },
  { keys: "mod+enter", does: "Run prompt or send message", id: "run" },
  { keys: "mod+.", does: "Stop run", id: "stop" },
  { keys: "mod+s", does: "Save file", id: "save", local: true },
  { keys: "mod+b", does: "Show or hide sidebar", id: "rail" },
  { keys: "mod+j", does: "Show log", id: "log" },
  { keys: "F6", does: "Go to next region", id: "next-region" },
  { keys: "shift+F6", does: "Go to previous region", id: "previous-region" },
  { keys: "F8", does: "Go to agents' questions", id: "go-needs" },
  { keys: "n", does: "Go to next session that needs you", id: "next-needs", single: true },
  { keys: "/", does: "Filter sessions on the board", id: "board.filter", single: true },
  { keys: "x", does: "Select focused session on the board", single: true },
  { keys: "e", does: "Archive focused session on the board", single: true },
  { keys: "a", does: "Allow request", id: "question.allow", single: true },
  { keys: "s", does: "Allow for this session", id: "question.session", single: true },
  { keys: "d", does: "Deny request", id: "question.deny", single: true },
  { keys: "?", does: "Show keyboard shortcuts", id: "help", single: true },
  { keys: "g h", does: "Go home", id: "go-home", single: true },
  { keys: "g r", does: "Go to build", id: "go-run", single: true },
  { keys: "g f", does: "Go to files", id: "go-files", single: true },
  { keys: "g v", does: "Go to preview", id: "go-preview", single: true },
  { keys: "g p", does: "Go to prompts", id: "go-prompts", single: true },
  { keys: "g s", does: "Go to settings", id: "go-settings", single: true },
  {
    keys: "j",
    does: "Go to next agent, session, file or change",
    single: true,
  },
  { keys: "k", does: "Go to previous agent, session, file or change", single: true },
  { keys: "o", does: "Open focused session", single: true },
  { keys: "v", does: "Mark file as viewed and go to next file", single: true },
  { keys: "c", does: "Comment on a changed line", single: true },
  { keys: "t", does: "Switch between terminal and conversation", id: "toggle-terminal", single: true },
  { keys: "m", does: "Message the agent", id: "message-agent", single: true },
  {
    keys: "shift+Tab",
    does: "Change permissions from the message field",
  },
  { keys: "p", does: "Show app", id: "preview", single: true },
  { keys: "i", does: "Select an element to change", id: "select-element", single: true },
  { keys: "[", does: "Previous event", id: "previous-event", single: true },
  { keys: "]", does: "Next event", id: "next-event", single: true },
  { keys: "space", does: "Play or pause replay", id: "play", single: true },
  { keys: "l", does: "Back to live", id: "live", single: true },
]

const names: Record<string, string> = { enter: "Enter", shift: "Shift", space: "Space" }
const macNames: Record<string, string> = { ...names, mod: "⌘", shift: "⇧", enter: "↵" }

/** Returns the labels of the keys: chords in sequence, and the keys of each chord. */
export function keyLabels(keys: string, mac: boolean): string[][] {
  const labels = mac ? macNames : { ...names, mod: "Ctrl" }
  return keys
    .split(" ")
    .map((chord) => chord.split("+").map((key) => labels[key] ?? (key.length === 1 ? key.toUpperCase() : key)))
}

export function isMac(platform: string): boolean {
  return /^(mac|iphone|ipad)/i.test(platform)
}
