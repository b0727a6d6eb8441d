import { storeItem } from "../../api/store-item.ts"
import type { Command } from "../../session/context/command-registry.ts"

/** Commands that a screen is mostly used for, most frequent first. */
const FIRST = [
  ...["question.allow", "question.session", "question.deny", "run", "stop", "chat-stop", "save", "message-agent"],
  ...["toggle-terminal", "take-over", "hand-back", "add-agent", "go-run", "go-changes", "go-files", "go-preview"],
  ...["go-chat", "go-terminal", "go-prompts"],
]

/** Commands of every screen, and those for rare cases. Other commands of a screen come before them. */
const LAST = [
  ...["new-session", "go-needs", "go-home", "go-settings", "go-usage", "go-models", "go-accounts", "go-guide"],
  ...["help", "theme", "go-tokens", "log", "preview", "play", "live", "previous-event", "next-event", "rail"],
  ...["next-region", "previous-region", "sign-out", "chat-reset", "reset-session", "delete-session"],
]

/** Orders commands: recently used ones, then those of the current screen, then those of every screen. */
export function inOrder(commands: readonly Command[], recent: readonly string[]): Command[] {
  const rankOf = ({ id }: Command): number => {
    if (recent.includes(id)) return recent.indexOf(id) - recent.length - FIRST.length
    if (FIRST.includes(id)) return FIRST.indexOf(id) - FIRST.length
    return LAST.indexOf(id) + 1
  }
  return commands.toSorted((a, b) => rankOf(a) - rankOf(b))
}

const KEY = "switchyard.commands"
const REMEMBERED = 3

/** Returns the IDs of the commands used last in this browser, newest first. */
export function recentCommands(storage: Storage): string[] {
  return storage.getItem(KEY)?.split(" ") ?? []
}

export function rememberCommand(storage: Storage, id: string): void {
  const others = recentCommands(storage).filter((one) => one !== id)
  storeItem(storage, KEY, [id, ...others].slice(0, REMEMBERED).join(" "))
}
