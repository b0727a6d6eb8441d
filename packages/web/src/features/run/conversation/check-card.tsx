import { clsx } from "clsx"
import type { CheckStep, CheckView, PictureView } from "../../../session/stream/check.ts"
import { useShownSession } from "../../../session/view/use-session.ts"
import { StatusIcon } from "../../../ui/icons.tsx"
import { MoreButton, Printed } from "../../../ui/long-text.tsx"
import { Picture } from "../../../ui/picture.tsx"

const looks = {
  running: { edge: "border-l-info", title: "text-info" },
  passed: { edge: "border-l-ok", title: "text-ok" },
  failed: { edge: "border-l-err", title: "text-err" },
  not_run: { edge: "border-l-line", title: "text-ink-2" },
} satisfies Record<CheckView["status"], object>

/** Names what passed or failed. */
function titleOf({ status, steps }: CheckView): string {
  if (status === "running") return "Running tests and starting the app"
  if (status === "not_run") return "Checks didn't run"
  const has = (name: string) => steps.some((step) => step.name === name && step.state === status)
  if (status === "failed") return has("test") ? "Tests failed" : has("start") ? "App didn't start" : "Checks failed"
  const passed = [has("test") && "tests passed", has("start") && "app starts"].filter(Boolean).join(", ")
  return passed ? passed.charAt(0).toUpperCase() + passed.slice(1) : "Checks passed"
}

const icons = { running: "busy", passed: "done", failed: "error", blocked: "idle" } as const

interface Props {
  check: CheckView
  /** True if all commands' output is shown, not just that of the one that failed. */
  expanded: boolean
  onToggle(): void
}

/** The results of installing, building, testing and starting, for each command. */
export function CheckCard({ check, expanded, onToggle }: Props) {
  const { status, steps, reason, picture } = check
  const { edge, title } = looks[status]
  const text = titleOf(check)
  return (
    <section
      aria-label={text}
      data-check={status}
      className={clsx("rounded-md border border-l-[3px] border-line bg-sheet px-3 py-2 text-sm text-ink-2", edge)}
    >
      <h3 className={clsx("font-semibold", title)}>{text}</h3>
      {reason && <p>{reason}</p>}
      {steps.length > 0 && (
        <ul className="mt-1 flex flex-col gap-1">
          {steps.map((step) => (
            <li key={step.name}>
              <Step step={step} shown={expanded || step.state === "failed" || step.state === "blocked"} />
            </li>
          ))}
        </ul>
      )}
      {picture && <Screenshot picture={picture} />}
      {steps.some(({ state }) => state === "passed") && (
        <MoreButton expanded={expanded} onToggle={onToggle}>
          {expanded ? "Hide output" : "Show output"}
        </MoreButton>
      )}
    </section>
  )
}

function Screenshot({ picture }: { picture: PictureView }) {
  const { sessionId: id, api } = useShownSession()
  const { sha256, width, height } = picture
  const src = api.url("GET /api/v1/sessions/{id}/artifacts/{sha256}", { path: { id, sha256 } })
  return (
    <Picture
      src={src}
      alt="Screenshot of the page"
      width={width}
      height={height}
      className="mt-2 h-auto w-full max-w-80"
    />
  )
}

function Step({ step: { command, state, text, output }, shown }: { step: CheckStep; shown: boolean }) {
  return (
    <>
      <p className="flex min-w-0 flex-wrap items-center gap-x-1.5">
        <StatusIcon state={icons[state]} size={12} label={null} />
        <code className="font-mono text-xs break-all text-ink">{command}</code>
        <span className="nums">{text}</span>
      </p>
      {shown && <Printed output={output} />}
    </>
  )
}
