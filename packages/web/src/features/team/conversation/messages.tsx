import type { Board, TeamMessages } from "@switchyard/core/work/teams/request-schema"
import { useMemo, useState } from "react"
import { ChoiceField, type Option, SelectField } from "../../../ui/field.tsx"
import { MessageCard } from "../../conversation/message-card.tsx"
import { MessageList } from "../../conversation/message-list.tsx"
import { filtered, type MessageFilter } from "./message-filter.ts"

type Message = TeamMessages["messages"][number]

interface Props {
  teamId: string
  messages: Message[]
  workers: Board["workers"]
  /** The moment shown; null when live. */
  moment: number | null
}

/** Messages from a team's members and people, optionally filtered. */
export function Messages({ teamId, messages: all, workers, moment }: Props) {
  const [filter, setFilter] = useState<MessageFilter>({ member: "", kind: "" })
  const messages = useMemo(() => filtered(all, filter), [all, filter])
  const nameOf = (id: string) => names[id] ?? workers.find((worker) => worker.id === id)?.name ?? id
  const members: Option[] = [
    ["", "Everyone"],
    ["human", "You"],
    ["coordinator", "Coordinator"],
    ...workers.map(({ id, name }) => [id, name] as const),
  ]
  return (
    <div className="grid min-h-0 grid-rows-[auto_minmax(0,1fr)]">
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
      <MessageList
        subject={`${teamId} ${filter.member} ${filter.kind}`}
        label="Messages"
        rows={messages}
        keyOf={seqOf}
        moment={moment}
        column="px-4"
        empty={all.length > 0 && <p className="p-4 text-sm text-ink-3">No matching messages.</p>}
      >
        {({ seq, ts, from, to, content, images }, { isExpanded, toggle }) => (
          <MessageCard
            isOwn={from === "human"}
            label={`${nameOf(from)} to ${nameOf(to).replace(/^You$/, "you")}`}
            text={content}
            images={images}
            ts={ts}
            expanded={isExpanded(String(seq))}
            onToggle={() => toggle(String(seq))}
          />
        )}
      </MessageList>
    </div>
  )
}

const seqOf = ({ seq }: Message) => seq

const kinds = {
  "": "All",
  message: "Messages",
  suggestion: "Suggestions",
  trigger: "Triggers",
  goal: "Goal",
  report: "Reports",
} satisfies Record<MessageFilter["kind"], string>

const names: Record<string, string> = {
  human: "You",
  coordinator: "Coordinator",
  all: "everyone",
  trigger: "Trigger",
}
