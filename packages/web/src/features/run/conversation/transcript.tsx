import { formatCount } from "@switchyard/core/text/format"
import { useMemo } from "react"
import type { RunActions } from "../../../session/actions/use-run-actions.ts"
import { paths } from "../../../session/context/routes.ts"
import type { Turn } from "../../../session/stream/conversation.ts"
import { useReadOnly, useSessionData, useShownSession } from "../../../session/view/use-session.ts"
import { StatusIcon } from "../../../ui/icons.tsx"
import { lazyPart } from "../../../ui/lazy-part.ts"
import { Empty, Skeleton } from "../../../ui/notice.tsx"
import { TextLink } from "../../../ui/text-link.tsx"
import { MessageCard } from "../../conversation/message-card.tsx"
import { MessageList } from "../../conversation/message-list.tsx"
import type { Expansion } from "../../conversation/use-expanded.ts"
import { RequestElements } from "../../elements/request-elements.tsx"
import { Outcome } from "./outcome.tsx"
import { PlanCard } from "./plan-card.tsx"
import { type TranscriptItem, transcriptItems } from "./transcript-items.ts"

const CheckCard = lazyPart(async () => (await import("./check-card.tsx")).CheckCard, <Skeleton lines={2} />)
const VersionActions = lazyPart(async () => (await import("../../versions/version-actions.tsx")).VersionActions)
const RestoredRow = lazyPart(async () => (await import("../../versions/restored-row.tsx")).RestoredRow)
// Its place is as high as the note will be, so that nothing moves when it is loaded.
const NoteCard = lazyPart(
  async () => (await import("./note-card.tsx")).NoteCard,
  ({ note }) => <div className={note.type === "checked" || note.type === "reviewed" ? "h-[54px]" : "h-5"} />,
)
const TryIt = lazyPart(async () => (await import("./try-it.tsx")).TryIt)

/** The conversation at the moment shown. */
export function Transcript({ actions, onOpen }: { actions: RunActions; onOpen(path: string): void }) {
  const session = useShownSession()
  const turns = useSessionData(({ shown }) => shown.conversation)
  const moment = useSessionData(({ replaySeq }) => replaySeq)
  const readOnly = useReadOnly() !== null
  const beginning = useSessionData(({ shown }) => shown.beginning)
  const items = useMemo(() => transcriptItems(turns, beginning), [turns, beginning])
  const last = turns.at(-1)

  const draw = (item: TranscriptItem, { isExpanded, toggle }: Expansion) => {
    if (item.type === "restored") return <RestoredRow restored={item.restored} />
    if (item.type === "forked") {
      const { session_id, name, version } = item.from
      return (
        <p className="px-1 text-sm wrap-anywhere text-ink-2">
          Forked from version {version} of <TextLink href={paths.session(session_id)}>{name}</TextLink>.
        </p>
      )
    }
    const { key, turn } = item
    const fold = { expanded: isExpanded(key), onToggle: () => toggle(key) }
    switch (item.type) {
      case "request":
        return (
          <RequestCard
            turn={turn}
            number={item.number}
            {...fold}
            onGo={() => session.replay(turn.run.firstSeq)}
            onOpen={onOpen}
          />
        )
      case "plan":
        return <PlanCard failed={item.turn.run.status === "failed"} plan={item.plan} {...fold} onOpen={onOpen} />
      case "note":
        return <NoteCard note={item.note} run={turn.run} onOpen={onOpen} />
      case "check":
        return <CheckCard check={item.check} {...fold} />
      case "progress":
        return <Progress text={item.text} />
      case "outcome":
        return (
          <>
            <Outcome turn={turn} actions={turn === last && !readOnly ? actions : null} />
            {turn.version && <VersionActions {...turn.version} />}
            {turn === last && !readOnly && mayBeTried(turn) && <TryIt />}
          </>
        )
    }
  }

  return (
    <MessageList
      subject={session.sessionId}
      label="Requests and results"
      rows={items}
      keyOf={keyOf}
      moment={moment}
      column="px-3"
      gapOf={({ type }) => (type === "request" ? "pt-4 pb-1.5" : "py-1.5")}
      empty={<Empty title="What should we build?">Describe your app below. Requests and results appear here.</Empty>}
    >
      {draw}
    </MessageList>
  )
}

const keyOf = ({ key }: TranscriptItem) => key

/** Work that no other row shows, and how much its model has thought. */
function Progress({ text }: { text: string }) {
  const thinking = useSessionData(({ shownText }) => shownText.thinking)
  const chars = [...thinking.values()].reduce((sum, one) => sum + one, 0)
  return (
    <p className="flex items-center gap-2 text-sm text-ink-2">
      <StatusIcon state="busy" label={null} /> {text}…
      {chars > 0 && <span className="text-ink-3 nums">{formatCount(chars, "character")} of thinking</span>}
    </p>
  )
}

/** Returns true if it isn't known yet whether what was built works. */
function mayBeTried({ run, check }: Turn): boolean {
  return run.agent === null && run.status === "completed" && check?.status !== "passed" && check?.status !== "running"
}

interface RequestCardProps {
  turn: Turn
  number: number
  expanded: boolean
  onToggle(): void
  /** Goes to the moment at which it was asked. */
  onGo(): void
  onOpen(path: string): void
}

/** A request, verbatim. */
function RequestCard({ turn: { run, resumes }, number, onOpen, ...card }: RequestCardProps) {
  const request = { text: run.prompt, images: run.images }
  return (
    <MessageCard
      {...card}
      {...(resumes ? { text: "Resumed with the plan above" } : request)}
      label={`Request ${number}`}
      isNameless
      data-run={run.runId}
      isOwn
      ts={run.startedAt}
      attached={!resumes && run.elements && <RequestElements elements={run.elements} onOpen={onOpen} />}
    >
      <span className="min-w-0 truncate">{run.agent ?? run.model}</span>
    </MessageCard>
  )
}
