import type { PublishedApp, SessionApp } from "@switchyard/core/sessions/apps/schema"
import { formatBytes, formatCount } from "@switchyard/core/text/format"
import { CopiedText } from "../../ui/copied-text.tsx"
import { ExternalLink } from "../../ui/session-icons.tsx"
import { dayOf } from "../../ui/time.ts"
import { AppFacts, SharedHostNotice } from "./app-facts.tsx"

/** A published app: its address, its version, and what publishing again would change. */
export function PublishedAppPart({ app, plan }: { app: PublishedApp; plan: SessionApp }) {
  const isNewer = plan.version > app.version
  return (
    <div className="flex flex-col gap-3">
      {app.url === null ? (
        <p className="font-semibold break-all">{app.name}</p>
      ) : (
        <CopiedText label="Link" text={app.url}>
          <a
            href={app.url}
            target="_blank"
            rel="noopener noreferrer"
            data-autofocus
            className="inline-flex h-9 shrink-0 items-center gap-2 rounded-md border border-strong px-3.5 hover:bg-well max-md:min-h-11"
          >
            <ExternalLink size={16} aria-hidden /> Open
          </a>
        </CopiedText>
      )}
      <p className="text-sm text-ink-2 nums">
        Version {app.version}, published {dayOf(app.published_at)}: {formatCount(app.file_count, "file")},{" "}
        {formatBytes(app.size_bytes)}.{isNewer ? ` Version ${plan.version} is newer.` : ""}
      </p>
      {isNewer && plan.reason === null && <AppFacts plan={plan} />}
      {plan.opaque && <SharedHostNotice />}
    </div>
  )
}
