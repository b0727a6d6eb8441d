import type { Board, TeamMessages } from "@switchyard/core/work/teams/request-schema"
import { clsx } from "clsx"
import { useEffect, useRef } from "react"
import { clockTime } from "../../../ui/time.ts"

type Message = TeamMessages["messages"][number]

interface Props {
  messages: Message[]
  workers: Board["workers"]
}

/** All that the members of a team and people wrote. The newest stays in sight. */
export function Messages({ messages, workers }: Props) {
  const end = useRef<HTMLLIElement>(null)
  const last = messages.at(-1)?.seq
  // biome-ignore lint/correctness/useExhaustiveDependencies: it moves with each new message
  useEffect(() => {
    end.current?.scrollIntoView({ block: "nearest" })
  }, [last])
  const nameOf = (id: string) => names[id] ?? workers.find((worker) => worker.id === id)?.name ?? id
  return (
    <ol aria-label="Messages" className="flex min-h-0 flex-col gap-3 overflow-y-auto px-4 py-3">
      {messages.map(({ seq, ts, from, to, content }) => (
        <li key={seq} className={clsx("max-w-[60ch]", from === "human" && "ml-auto")}>
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
  )
}

const names: Record<string, string> = {
  human: "You",
  coordinator: "Coordinator",
  all: "everyone",
  trigger: "A trigger",
}
