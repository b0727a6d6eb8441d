import type { NewEvent } from "../../events.ts"
import { isSamePair, worktreeOf } from "../../files/worktrees/state.ts"
import type { Rule } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import { openAgents } from "../conversations/state.ts"
import { appendAsRunner } from "../terminals/rules.ts"

export interface FoundCollision {
  /** Names of two worktrees, in alphabetical order. */
  worktrees: [string, string]
  /** All files that would conflict. Empty if there are none. */
  files: string[]
  digest: string
}

const MAX_FILES = 100
const TOLD_FILES = 10
/** ID prefix of messages about collisions. */
const ABOUT = "collision-"

/**
 * Records that the set of files that would conflict between two worktrees has changed. If the set has grown, queues a
 * message for the agents in both worktrees. Because it isn't urgent, they read it together with their next message. An
 * agent that hasn't read an earlier message about collisions doesn't get another one.
 */
export function reportCollision(generation: number, found: FoundCollision, newId: () => string): Rule {
  return (state) => {
    const { worktrees, files, digest } = found
    const before = state.worktrees.collisions.find((one) => isSamePair(one.worktrees, worktrees))
    const isGone = worktrees.some((name) => !worktreeOf(state, name).exists)
    if (isGone || (before?.digest ?? null) === (files.length > 0 ? digest : null)) return []
    const about = { files: files.slice(0, MAX_FILES), file_count: files.length, digest }
    const isMore = files.length > (before?.fileCount ?? 0)
    const told = isMore ? worktrees.flatMap((name) => messagesTo(state, name, found, newId)) : []
    return appendAsRunner(generation, [{ type: "worktree_collisions_changed", worktrees, ...about }, ...told])(state)
  }
}

function messagesTo(
  state: SessionState,
  name: string,
  { worktrees, files }: FoundCollision,
  newId: () => string,
): NewEvent[] {
  const other = worktrees.find((one) => one !== name) ?? name
  const colleagues = openAgents(state).flatMap((agent) => (agent.worktree === other ? [agent.name] : []))
  const whose = colleagues.length > 0 ? `, where ${colleagues.join(", ")} works,` : ""
  const listed = files.slice(0, TOLD_FILES).map((file) => `- ${file}`)
  const more = files.length > TOLD_FILES ? [`and ${files.length - TOLD_FILES} more`] : []
  const content = [
    `If your work and that in the worktree ${other}${whose} were merged now, they would conflict in these files:`,
    [...listed, ...more].join("\n"),
    "Keep your changes to them small, or agree with the other agent who makes them.",
  ].join("\n\n")
  const readers = openAgents(state).filter(({ worktree, program, queue }) => {
    return worktree === name && program !== null && !queue.some(({ messageId }) => messageId.startsWith(ABOUT))
  })
  return readers.map(({ agentId }) => {
    const about = { agent_id: agentId, message_id: `${ABOUT}${newId()}`, content, source: "collisions" }
    return { type: "agent_message_queued", ...about, quiet: true }
  })
}
