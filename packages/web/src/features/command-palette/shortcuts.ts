export interface Shortcut {
  /** Keys held together with "+", pressed one after the other with a space. `mod` is Ctrl, on a Mac the command key. */
  keys: string
  does: string
  /** The command that it runs. */
  id: string
  /** A letter or sign alone: only where nobody types, and not if it was switched off. */
  single?: true
  /** Answered by the part of the screen that has it, and only there. */
  local?: true
}

/** Every key that the studio answers: what it listens for, and what the guide and the help show. */
export const shortcuts: Shortcut[] = [
  { keys: "mod+k", does: "Search sessions, files and commands", id: "palette" },
  { keys: "mod+enter", does: "Run the prompt", id: "run" },
  { keys: "mod+.", does: "Stop the run", id: "stop" },
  { keys: "mod+s", does: "Save the file", id: "save", local: true },
  { keys: "mod+b", does: "Show or hide the sessions", id: "rail" },
  { keys: "mod+j", does: "Show or hide the log", id: "log" },
  { keys: "F6", does: "Go to the next region of the screen", id: "next-region" },
  { keys: "shift+F6", does: "Go to the previous region", id: "previous-region" },
  { keys: "?", does: "Show keyboard shortcuts", id: "help", single: true },
  { keys: "g h", does: "Go home", id: "go-home", single: true },
  { keys: "g r", does: "Go to the run", id: "go-run", single: true },
  { keys: "g f", does: "Go to the files", id: "go-files", single: true },
  { keys: "g p", does: "Go to the prompts", id: "go-prompts", single: true },
  { keys: "g s", does: "Go to the settings", id: "go-settings", single: true },
  {
    keys: "j",
    does: "Next session of the list, changed file, or change in a diff",
    id: "next-change",
    single: true,
    local: true,
  },
  { keys: "k", does: "Previous", id: "previous-change", single: true, local: true },
  { keys: "o", does: "Open the session that has the focus", id: "open", single: true, local: true },
  { keys: "v", does: "Mark the file as viewed and go to the next one", id: "viewed", single: true, local: true },
  { keys: "[", does: "Previous event", id: "previous-event", single: true },
  { keys: "]", does: "Next event", id: "next-event", single: true },
  { keys: "space", does: "Play or pause the replay", id: "play", single: true },
  { keys: "l", does: "Back to live", id: "live", single: true },
]

const names: Record<string, string> = { enter: "Enter", shift: "Shift", space: "Space" }
const macNames: Record<string, string> = { ...names, mod: "⌘", shift: "⇧", enter: "↵" }

/** The keys as they are printed on them: what is pressed one after the other, and in each what is held together. */
export function keyLabels(keys: string, mac: boolean): string[][] {
  const labels = mac ? macNames : { ...names, mod: "Ctrl" }
  return keys
    .split(" ")
    .map((chord) => chord.split("+").map((key) => labels[key] ?? (key.length === 1 ? key.toUpperCase() : key)))
}

export function isMac(platform: string): boolean {
  return /^(mac|iphone|ipad)/i.test(platform)
}
