import * as z from "zod"
import { createJsonStore } from "../worktree/json-store.ts"

/** An unsent comment on a line of the diff. */
const LineComment = z.object({
  id: z.string(),
  path: z.string(),
  /** Removed lines belong to the old file. */
  side: z.enum(["old", "new"]),
  line: z.number(),
  /** Content of the line when the comment was written. */
  code: z.string(),
  text: z.string(),
})
export type LineComment = z.infer<typeof LineComment>

/** A line of the diff that can be commented on. */
export type CommentedLine = Pick<LineComment, "path" | "side" | "line" | "code">

export function isOnLine(comment: CommentedLine, { path, side, line }: Pick<LineComment, "path" | "side" | "line">) {
  return comment.path === path && comment.side === side && comment.line === line
}

/** Returns the message to the agent that worked in the worktree, ordered by file and line. */
export function reviewMessage(comments: LineComment[]): string {
  const parts = [...comments].sort(byPlace).map(({ path, side, line, code, text }) => {
    const where = side === "old" ? `${path}, removed line ${line}` : `${path}, line ${line}`
    return `${where}:\n> ${code.trim()}\n${text.trim()}`
  })
  return `Please address ${comments.length === 1 ? "this comment" : "these comments"} on your changes.\n\n${parts.join("\n\n")}`
}

function byPlace(a: LineComment, b: LineComment): number {
  return a.path.localeCompare(b.path) || a.line - b.line
}

/** Creates the store for a worktree's unsent comments, which are kept in this browser. */
export function createCommentStore(storage: Storage, sessionId: string, worktree: string) {
  return createJsonStore(storage, `switchyard.comments.${sessionId}.${worktree}`, z.array(LineComment), [])
}
