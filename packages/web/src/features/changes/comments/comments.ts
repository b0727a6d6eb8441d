import * as z from "zod"

/** A comment on a line of the diff, before it is sent. */
const LineComment = z.object({
  id: z.string(),
  path: z.string(),
  /** A removed line is of the old file. */
  side: z.enum(["old", "new"]),
  line: z.number(),
  /** The line as it was when it was commented on. */
  code: z.string(),
  text: z.string(),
})
export type LineComment = z.infer<typeof LineComment>

/** A line of the diff that can be commented on. */
export type CommentedLine = Pick<LineComment, "path" | "side" | "line" | "code">

export function isOnLine(comment: CommentedLine, { path, side, line }: Pick<LineComment, "path" | "side" | "line">) {
  return comment.path === path && comment.side === side && comment.line === line
}

/** The message to the agent that worked in the worktree, by file and line. */
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

/** The unsent comments of a session's worktree, kept in this browser. */
export function createCommentStore(storage: Storage, sessionId: string, worktree: string) {
  const key = `switchyard.comments.${sessionId}.${worktree}`
  return {
    read(): LineComment[] {
      try {
        return z.array(LineComment).parse(JSON.parse(storage.getItem(key) ?? "[]"))
      } catch {
        // Foreign data, or storage is disabled: start without any.
        return []
      }
    },
    save(comments: LineComment[]): void {
      try {
        if (comments.length === 0) storage.removeItem(key)
        else storage.setItem(key, JSON.stringify(comments))
      } catch {
        // Storage is full or disabled: they last as long as the page.
      }
    },
  }
}
