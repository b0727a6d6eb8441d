import type { NewEvent } from "@switchyard/core/events"
import { namedWorktree } from "@switchyard/core/files/worktrees/names-schema"
import type { Damage } from "@switchyard/core/files/worktrees/schema"
import type { Repaired } from "../git/saves/repair.ts"
import { listed } from "./listed.ts"

const DAMAGES: Record<Damage, string> = {
  folder_missing: "The worktree's folder was deleted.",
  git_missing: "The worktree's .git was deleted.",
  git_replaced: "The worktree's .git was replaced.",
  git_broken: "Git couldn't read the worktree.",
}

const FILES: Record<Repaired["from"], string> = {
  save: "It was restored from the last save",
  branch: "It was restored from the last commit",
  folder: "It was repaired without changing its files",
}

/** Describes nested repositories that are in a save but couldn't be restored. */
export function notRestored(folders: string[]): string {
  return `The repositories in ${listed(folders, folders.length)} couldn't be restored from the last save. Their files exist only if the worktree's own save includes them.`
}

/** Creates the events that report the repair of a worktree. */
export function repairEvents(worktree: string, { damage, from, setAside, missing }: Repaired): NewEvent[] {
  const aside = setAside ? `; the repository created in it is now at ${setAside}` : ""
  return [
    { type: "worktree_restored", ...namedWorktree(worktree), damage, from, set_aside: setAside },
    { type: "agent_notice", text: `${DAMAGES[damage]} ${FILES[from]}${aside}.` },
    ...(missing.length > 0 ? [{ type: "agent_notice" as const, text: notRestored(missing) }] : []),
  ]
}
