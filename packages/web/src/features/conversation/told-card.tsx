import { useStudio } from "../../session/context/studio.ts"
import type { ThreadItem } from "../../session/stream/thread.ts"
import { shortTime } from "../../ui/time.ts"
import { LongText } from "./long-text.tsx"

interface Props {
  sessionId: string
  item: Extract<ThreadItem, { type: "told" }>
  expanded: boolean
  onToggle(): void
}

/** A message to the agent, word for word: a person's on the right, another agent's on the left. */
export function ToldCard({ sessionId, item: { source, text, images, ts }, expanded, onToggle }: Props) {
  const sender = senderOf(source)
  return (
    <article className={sender ? "w-fit max-w-[92%]" : "ml-auto w-fit max-w-[92%]"}>
      <p className="mb-0.5 flex gap-2 text-xs text-ink-3 nums">
        {sender ? <span>from {sender}</span> : <span className="unseen">You</span>}
        <time dateTime={ts} className={sender ? undefined : "ml-auto"}>
          {shortTime(ts)}
        </time>
      </p>
      <div className={`rounded-md px-3 py-2 ${sender ? "border border-line bg-sheet" : "bg-well"}`}>
        <LongText text={text} expanded={expanded} onToggle={onToggle} />
        {images.length > 0 && (
          <ul className="mt-2 flex flex-wrap gap-2">
            {images.map((sha256, at) => (
              <li key={`${at.toString()} ${sha256}`}>
                <Picture sessionId={sessionId} sha256={sha256} number={at + 1} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </article>
  )
}

function Picture({ sessionId, sha256, number }: { sessionId: string; sha256: string; number: number }) {
  const { api } = useStudio()
  const url = api.url("GET /api/v1/sessions/{id}/artifacts/{sha256}", { path: { id: sessionId, sha256 } })
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className="block">
      <img
        src={url}
        alt={`Attached ${number}`}
        loading="lazy"
        className="max-h-40 max-w-full rounded-sm border border-line"
      />
    </a>
  )
}

/** The name of the sender, where it isn't a person. */
function senderOf(source: string): string | null {
  if (source.startsWith("agent:")) return source.slice("agent:".length)
  return source === "collisions" ? "Switchyard" : null
}
