import type { Board, TeamMessages } from "@switchyard/core/work/teams/request-schema"
import { clsx } from "clsx"
import { useEffect, useRef, useState } from "react"
import { ChoiceField, type Option, SelectField } from "../../../ui/field.tsx"
import { clockTime } from "../../../ui/time.ts"
import { filtered, type MessageFilter } from "./message-filter.ts"

type Message = TeamMessages["messages"][number]

/** Messages from a team's members and people, optionally filtered. The latest is kept in view. */
export function Messages({ messages: all, workers }: { messages: Message[]; workers: Board["workers"] }) {
  const [filter, setFilter] = useState<MessageFilter>({ member: "", kind: "" })
  const messages = filtered(all, filter)
  const end = useRef<HTMLLIElement>(null)
  const last = messages.at(-1)?.seq
  // biome-ignore lint/correctness/useExhaustiveDependencies: it moves with each new message
  useEffect(() => {
    end.current?.scrollIntoView({ block: "nearest" })
  }, [last])
  const nameOf = (id: string) => names[id] ?? workers.find((worker) => worker.id === id)?.name ?? id
  const members: Option[] = [
    ["", "Everybody"],
    ["human", "You"],
    ["coordinator", "Coordinator"],
    ...workers.map(({ id, name }) => [id, name] as const),
  ]
  return (
    <div className="flex min-h-0 flex-col">
      <div className="flex gap-3 border-b border-line px-4 py-2">
        <SelectField
          label="Member"
          className="min-w-0 flex-1"
          value={filter.member}
          options={members}
          onChange={(member) => setFilter({ ...filter, member })}
        />
        <ChoiceField
          label="Kind"
          className="min-w-0 flex-1"
          of={kinds}
          value={filter.kind}
          onChange={(kind) => setFilter({ ...filter, kind })}
        />
      </div>
      <ol aria-label="Messages" className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto px-4 py-3">
        {messages.map(({ seq, ts, from, to, content }) => (
          <li key={seq} className={clsx("max-w-[min(60ch,100%)]", from === "human" && "ml-auto")}>
            <p className="mb-0.5 text-xs text-ink-3">
              {nameOf(from)} to {nameOf(to).replace(/^You$/, "you")} · {clockTime(ts)}
            </p>
            <p
              className={clsx(
                "rounded-md px-3 py-2 text-sm whitespace-pre-wrap",
                from === "human" ? "bg-accent-bg" : "border border-line bg-sheet",
              )}
            >
              {content}
            </p>
          </li>
        ))}
        <li ref={end} aria-hidden />
      </ol>
      {messages.length === 0 && all.length > 0 && (
        <p className="px-4 pb-3 text-sm text-ink-3">Nothing of that kind yet.</p>
      )}
    </div>
  )
}

const kinds = {
  "": "All",
  message: "Messages",
  suggestion: "Suggestions",
  trigger: "Triggers",
  goal: "The goal",
  report: "Reports",
} satisfies Record<MessageFilter["kind"], string>

const names: Record<string, string> = {
  human: "You",
  coordinator: "Coordinator",
  all: "everyone",
  trigger: "A trigger",
}
