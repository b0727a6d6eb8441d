import { createContext, useContext, useMemo, useState } from "react"
import { useShownSession } from "../../../session/view/use-session.ts"
import { ShownWorktree } from "../worktree/use-worktree.ts"
import { type CommentedLine, createCommentStore, type LineComment } from "./comments.ts"

/** Comments of a review that hasn't been sent yet. */
export interface Comments {
  all: LineComment[]
  /** Line on which a comment is being written. */
  draft: CommentedLine | null
  /** Starts a comment, or discards it. Null if there is no review to comment in. */
  begin: ((line: CommentedLine | null) => void) | null
  add(text: string): void
  remove(id: string): void
  clear(): void
}

const none: Comments = { all: [], draft: null, begin: null, add() {}, remove() {}, clear() {} }

export const ShownComments = createContext<Comments>(none)

export function useCommentsOf(): Comments {
  const { sessionId } = useShownSession()
  const worktree = useContext(ShownWorktree)
  const store = useMemo(() => createCommentStore(localStorage, sessionId, worktree), [sessionId, worktree])
  const [all, setAll] = useState(store.read)
  const [draft, setDraft] = useState<CommentedLine | null>(null)
  const set = (comments: LineComment[]) => {
    setAll(comments)
    store.save(comments)
  }
  return {
    all,
    draft,
    begin: setDraft,
    add(text) {
      if (draft) set([...all, { ...draft, text, id: crypto.randomUUID() }])
      setDraft(null)
    },
    remove: (id) => set(all.filter((one) => one.id !== id)),
    clear: () => set([]),
  }
}
