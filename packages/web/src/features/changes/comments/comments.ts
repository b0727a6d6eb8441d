import * as z from "zod"

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
  const key = `switchyard.comments.${sessionId}.${worktree}`
  return {
    read(): LineComment[] {
      try {
        return z.array(LineComment).parse(JSON.parse(storage.getItem(key) ?? "[]"))
      } catch {
        // The data is invalid, or storage is disabled: start without comments.
        return []
      }
    },
    save(comments: LineComment[]): void {
      try {
        if (comments.length === 0) storage.removeItem(key)
        else storage.setItem(key, JSON.stringify(comments))
      } catch {
        // Storage is full or disabled: the comments last only as long as the page.
      }
    },
  }
}
