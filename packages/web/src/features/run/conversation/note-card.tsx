import { formatCount } from "@switchyard/core/text/format"
import { clsx } from "clsx"
import type { ReactNode } from "react"
import type { Fault, Note } from "../../../session/stream/conversation.ts"
import { isRunning, type RunView } from "../../../session/stream/run.ts"
import { clockTime } from "../../../ui/time.ts"

const NAMED_FAULTS = 8

interface Props {
  note: Note
  run: RunView
  onOpen(path: string): void
}

/** Something that happened during a run. */
export function NoteCard({ note, run, onOpen }: Props) {
  switch (note.type) {
    case "checked":
    case "reviewed":
      return note.faultCount === 0 ? <Clean note={note} /> : <Faults note={note} run={run} onOpen={onOpen} />
    case "not_reviewed":
      return <Line>Not reviewed: {note.reason}</Line>
    case "not_written":
      return (
        <Card tone="err" title={`Couldn't write ${note.path}`}>
          {note.reason}
        </Card>
      )
    case "retried":
      return (
        <Line>
          {note.problem.replace(/\.$/, "")}. Retried{note.count > 1 ? ` ${note.count} times` : ""}.
          {isRunning(run) &&
            note.until > Date.now() &&
            ` Next attempt at ${clockTime(new Date(note.until).toISOString())}.`}
        </Line>
      )
    case "rejected":
      return (
        <Line>
          Rejected {note.count > 1 ? `${note.count} responses` : "a response"} for {ABOUT[note.about] ?? note.about}:{" "}
          {inSentence(note.reason)}
        </Line>
      )
    case "model_replaced":
      return (
        <Line>
          {note.from} is down. Continuing with {note.to}.
        </Line>
      )
    case "relaunched":
      return <Line>Restarted: {note.reason}</Line>
    case "waiting":
      return <Line>Waiting: {note.reason}</Line>
    case "tests_changed":
      return <Line>{note.text}</Line>
  }
}

const ABOUT: { [node: string]: string } = { planner: "the plan", architect: "the steps", coder: "the files" }

/** Formats a reason to follow a colon. */
function inSentence(reason: string): string {
  return reason.replace(/^(?:It|A|The) /, (word) => word.toLowerCase())
}

type Check = Extract<Note, { type: "checked" | "reviewed" }>

function Clean({ note: { type, fileCount } }: { note: Check }) {
  const files = formatCount(fileCount, "file")
  return type === "checked" ? (
    <Card tone="ok" title="Static check passed">
      No problems found in {files}. No code was run.
    </Card>
  ) : (
    <Card tone="ok" title="Model review passed">
      The model compared {files} with your request and found nothing missing.
    </Card>
  )
}

function Faults({ note, run, onOpen }: { note: Check; run: RunView; onOpen: Props["onOpen"] }) {
  const { type, faults, faultCount, unmended } = note
  const named = faults.slice(0, NAMED_FAULTS)
  const rest = faultCount - named.length
  return (
    <Card
      tone={unmended.length > 0 && !isRunning(run) ? "err" : "info"}
      title={
        type === "checked"
          ? `Static check found ${formatCount(faultCount, "problem")}`
          : `Model review found ${formatCount(faultCount, "missing item")}`
      }
    >
      <ul className="mt-1 flex flex-col gap-1">
        {named.map((fault, index) => (
          <li key={`${index.toString()} ${fault.path}`}>
            <FaultLine fault={fault} onOpen={onOpen} />
          </li>
        ))}
      </ul>
      {rest > 0 && <p className="mt-1">and {rest} more</p>}
      <p className="mt-1 text-ink-3">{mendingText(unmended.length, isRunning(run))}</p>
    </Card>
  )
}

function FaultLine({ fault: { path, message }, onOpen }: { fault: Fault; onOpen: Props["onOpen"] }) {
  return (
    <>
      <button
        type="button"
        onClick={() => onOpen(path)}
        className="min-h-6 rounded-sm font-mono text-xs font-semibold text-info hover:underline"
      >
        {path}
      </button>{" "}
      <span>{message}</span>
    </>
  )
}

function mendingText(left: number, running: boolean): string {
  if (left === 0) return "Fixed by the coder."
  return running ? "The coder is fixing this." : "Not fixed."
}

const tones = { ok: "border-l-ok", err: "border-l-err", info: "border-l-info" }
const titles = { ok: "text-ok", err: "text-err", info: "text-info" }

function Card({ tone, title, children }: { tone: keyof typeof tones; title: string; children: ReactNode }) {
  return (
    <div
      className={clsx(
        "rounded-md border border-l-[3px] border-line bg-sheet px-3 py-2 text-sm text-ink-2",
        tones[tone],
      )}
    >
      <h3 className={clsx("font-semibold", titles[tone])}>{title}</h3>
      {children}
    </div>
  )
}

function Line({ children }: { children: ReactNode }) {
  return <p className="px-1 text-sm break-words whitespace-pre-line text-ink-3">{children}</p>
}
