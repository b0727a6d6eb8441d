import type { EvidenceAttempt, EvidenceCheck, WorkEvidence } from "@switchyard/core/work/verification/evidence-schema"
import type { Review, Reviewer } from "@switchyard/core/work/verification/review-schema"
import type { ReactNode } from "react"
import { type IconState, StatusIcon } from "../../../ui/icons.tsx"
import { Printed } from "../../../ui/long-text.tsx"
import { momentOf } from "../../../ui/time.ts"
import { resultOf, shortCommit } from "./evidence-words.ts"

/** Everything that a verdict is based on: the commit, problems with the work, each command, and earlier attempts. */
export function EvidencePane({ evidence }: { evidence: WorkEvidence }) {
  const { latest, checks, attempts, reviewing } = evidence
  const earlier = attempts.slice(0, -1)
  return (
    <aside
      aria-label="Checks"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
      tabIndex={0}
      className="flex min-h-0 min-w-0 flex-col gap-4 overflow-y-auto bg-sheet p-3 text-sm md:border-l md:border-line"
    >
      {latest && <Facts evidence={evidence} latest={latest} />}
      {latest && latest.issues.length > 0 && (
        <Part title="Problems">
          <ul className="flex flex-col gap-1.5">
            {latest.issues.map((issue) => (
              <li key={issue} className="border-l-2 border-l-err pl-2 break-words text-ink">
                {issue}
              </li>
            ))}
          </ul>
        </Part>
      )}
      {reviewing && <p className="text-ink-2">{nameOf(reviewing)} is reviewing the work.</p>}
      {latest?.review && !reviewing && <ReviewPart review={latest.review} />}
      {checks.length > 0 && (
        <Part title="Results from a clean checkout">
          <ul className="flex flex-col gap-2">
            {checks.map((check) => (
              <li key={`${check.name} ${check.original_tests}`}>
                <CheckRow check={check} />
              </li>
            ))}
          </ul>
        </Part>
      )}
      {earlier.length > 0 && (
        <Part title="Earlier attempts">
          <ul className="flex flex-col gap-2">
            {earlier.map((attempt) => (
              <li key={attempt.attempt_number}>
                <Earlier attempt={attempt} />
              </li>
            ))}
          </ul>
        </Part>
      )}
      {!latest && checks.length === 0 && <p className="text-ink-3">No results yet.</p>}
    </aside>
  )
}

const OPINIONS = new Map([
  [true, { state: "done" as const, label: "Passed" }],
  [false, { state: "error" as const, label: "Problems found" }],
  [null, { state: "needs_input" as const, label: "Couldn't review" }],
])

function ReviewPart({ review: { reviewer, passed, summary } }: { review: Review }) {
  const opinion = OPINIONS.get(passed)
  return (
    <Part title="Review by another agent">
      <p className="flex items-center gap-1.5 text-ink">
        {opinion && <StatusIcon state={opinion.state} size={12} label={opinion.label} />}
        {nameOf(reviewer)}
        {reviewer.model && <code className="font-mono text-xs text-ink-3">{reviewer.model}</code>}
      </p>
      <p className="break-words text-ink-2">{summary}</p>
    </Part>
  )
}

function nameOf({ account, cli }: Reviewer): string {
  return account ?? cli
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3 className="mb-1.5 text-xs font-semibold text-ink-3">{title}</h3>
      {children}
    </section>
  )
}

function Facts({ evidence, latest }: { evidence: WorkEvidence; latest: EvidenceAttempt }) {
  const { base_commit, worktree_commit, state, max_attempts } = evidence
  const isOther = state === "void" && worktree_commit !== null && worktree_commit !== latest.commit
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1">
      <Fact name="Checked commit" text={shortCommit(latest.commit)} title={latest.commit} mono />
      {isOther && <Fact name="Current commit" text={shortCommit(worktree_commit)} title={worktree_commit} mono />}
      {base_commit && <Fact name="Compared with" text={shortCommit(base_commit)} title={base_commit} mono />}
      <Fact name="Attempt" text={`${latest.attempt_number} of ${max_attempts ?? latest.attempt_number}`} />
      <Fact name="Time" text={momentOf(latest.ts)} />
    </dl>
  )
}

function Fact({ name, text, title, mono = false }: { name: string; text: string; title?: string; mono?: boolean }) {
  return (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd title={title} className={mono ? "font-mono text-xs leading-5 text-ink" : "text-ink nums"}>
        {text}
      </dd>
    </>
  )
}

function Earlier({ attempt: { attempt_number, commit, passed, issues, summary } }: { attempt: EvidenceAttempt }) {
  return (
    <>
      <p className="flex items-center gap-1.5 text-ink-2">
        <StatusIcon state={passed ? "done" : "error"} size={12} label={passed ? "Passed" : "Failed"} />
        Attempt {attempt_number}
        <code className="font-mono text-xs">{shortCommit(commit)}</code>
      </p>
      <p className="break-words text-ink-3">{issues[0] ?? summary}</p>
    </>
  )
}

/** A command that was run, and its result. Its output is shown immediately if it failed. */
function CheckRow({ check }: { check: EvidenceCheck }) {
  const { command, passed, output, original_tests } = check
  return (
    <>
      <p className="flex min-w-0 items-start gap-1.5">
        <span className="mt-1 shrink-0">
          <StatusIcon state={iconOf(passed)} size={12} label={null} />
        </span>
        <span className="min-w-0">
          <code className="font-mono text-xs break-all text-ink">{command}</code>
          <span className="block text-ink-2 nums">{resultOf(check)}</span>
          {original_tests && <span className="block text-ink-3">Ran with the original tests</span>}
        </span>
      </p>
      {output !== "" && (
        <details open={passed === false} className="mt-1">
          <summary className="cursor-pointer text-xs text-ink-3 hover:text-ink">Output</summary>
          <Printed output={output} />
        </details>
      )}
    </>
  )
}

function iconOf(passed: boolean | undefined): IconState {
  if (passed === undefined) return "busy"
  return passed ? "done" : "error"
}
