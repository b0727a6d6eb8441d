import { clsx } from "clsx"
import { useState } from "react"
import type { TodoView } from "../../session/stream/agent.ts"
import { ChevronDown, StatusIcon } from "../../ui/icons.tsx"
import { ChevronRight } from "../../ui/more-icons.tsx"

const icons = { pending: "idle", in_progress: "busy", completed: "done" } as const
const words = { pending: "To do", in_progress: "In progress", completed: "Done" } as const

/** An agent's to-do list, as written by the agent. */
export function TodoList({ todos, isBusy }: { todos: readonly TodoView[]; isBusy: boolean }) {
  return (
    <ol className="flex flex-col gap-1.5 text-sm">
      {todos.map(({ text, status }, at) => (
        <li key={`${at.toString()} ${text}`} className="flex items-start gap-2">
          <span className="pt-0.5">
            <StatusIcon state={status === "in_progress" && !isBusy ? "idle" : icons[status]} label={words[status]} />
          </span>
          <span className={clsx("min-w-0 wrap-anywhere", status === "completed" ? "text-ink-3" : "text-ink")}>
            {text}
          </span>
        </li>
      ))}
    </ol>
  )
}

/** The same in one line, which can be expanded. */
export function TodoBar({ todos, isBusy }: { todos: readonly TodoView[]; isBusy: boolean }) {
  const [open, setOpen] = useState(false)
  const done = todos.filter(({ status }) => status === "completed").length
  const current = todos.find(({ status }) => status === "in_progress")
  return (
    <div className="border-t border-line text-sm">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex min-h-8 w-full min-w-0 items-center gap-2 px-4 text-left -outline-offset-2 hover:bg-well max-md:min-h-11"
      >
        {open ? <ChevronDown size={14} aria-hidden /> : <ChevronRight size={14} aria-hidden />}
        <span className="shrink-0 nums">
          {done} of {todos.length} done
        </span>
        {current && !open && <span className="min-w-0 truncate text-ink-3">{current.text}</span>}
      </button>
      {open && (
        <div className="max-h-48 overflow-y-auto px-4 pt-1 pb-2.5">
          <TodoList todos={todos} isBusy={isBusy} />
        </div>
      )}
    </div>
  )
}
