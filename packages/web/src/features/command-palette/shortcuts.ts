export interface Shortcut {
  /**
   * Keys held together are joined by "+"; keys pressed in sequence are separated by a space. `mod` is Ctrl, or Command
   * on a Mac.
   */
  keys: string
  does: string
  /** ID of the command that it runs. */
  id: string
  /** A single letter or symbol. Off while typing, or if disabled. */
  single?: true
  /** Handled only by one part of the screen. */
  local?: true
}

/** All shortcuts of the studio, for the keyboard handler, the guide and the help. */
export const shortcuts: Shortcut[] = [
  { keys: "mod+k", does: "Search sessions, files and commands", id: "palette" },
  { keys: "mod+enter", does: "Run the prompt, or send the message", id: "run" },
  { keys: "mod+.", does: "Stop the run", id: "stop" },
  { keys: "mod+s", does: "Save the file", id: "save", local: true },
  { keys: "mod+b", does: "Show or hide the sessions", id: "rail" },
  { keys: "mod+j", does: "Show or hide the log", id: "log" },
  { keys: "F6", does: "Go to the next region of the screen", id: "next-region" },
  { keys: "shift+F6", does: "Go to the previous region", id: "previous-region" },
  { keys: "F8", does: "Go to what agents ask", id: "go-needs" },
  { keys: "a", does: "Allow what the agent asks", id: "question.allow", single: true },
  { keys: "s", does: "Allow it for this session", id: "question.session", single: true },
  { keys: "d", does: "Deny it", id: "question.deny", single: true },
  { keys: "?", does: "Show keyboard shortcuts", id: "help", single: true },
  { keys: "g h", does: "Go home", id: "go-home", single: true },
  { keys: "g r", does: "Go to the run", id: "go-run", single: true },
  { keys: "g f", does: "Go to the files", id: "go-files", single: true },
  { keys: "g v", does: "Go to the preview", id: "go-preview", single: true },
  { keys: "g p", does: "Go to the prompts", id: "go-prompts", single: true },
  { keys: "g s", does: "Go to the settings", id: "go-settings", single: true },
  {
    keys: "j",
    does: "Next agent, session of the list, changed file, or change in a diff",
    id: "next-change",
    single: true,
    local: true,
  },
  { keys: "k", does: "Previous", id: "previous-change", single: true, local: true },
  { keys: "o", does: "Open the session that has the focus", id: "open", single: true, local: true },
  { keys: "v", does: "Mark the file as viewed and go to the next one", id: "viewed", single: true, local: true },
  { keys: "c", does: "Comment on a changed line, for the agent", id: "comment", single: true, local: true },
  { keys: "t", does: "Show the agent's terminal, or its conversation", id: "toggle-terminal", single: true },
  { keys: "m", does: "Write to the agent", id: "message-agent", single: true },
  {
    keys: "shift+Tab",
    does: "Change what the agent may do unasked, in its message field",
    id: "agent-mode",
    local: true,
  },
  { keys: "p", does: "Show or hide the preview beside the files", id: "preview", single: true },
  { keys: "[", does: "Previous event", id: "previous-event", single: true },
  { keys: "]", does: "Next event", id: "next-event", single: true },
  { keys: "space", does: "Play or pause the replay", id: "play", single: true },
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
