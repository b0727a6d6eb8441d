import type { RestoredVersion } from "../../session/stream/conversation.ts"
import { useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { momentOf, shortTime } from "../../ui/time.ts"
import { RestoreButton } from "./restore-button.tsx"
import { VersionActions } from "./version-actions.tsx"

/** A restore in the conversation, which can be undone until the files change again. */
export function RestoredRow({ restored: { seq, version, previous, from, path, at } }: { restored: RestoredVersion }) {
  const session = useShownSession()
  const current = useSessionData(({ live }) => live.files.version)
  return (
    <div data-restored={version} className="text-sm">
      <p className="flex flex-wrap items-center gap-x-2 px-1 text-ink-2">
        <span className="min-w-0 break-words">
          Restored {path === null ? `version ${from}` : `${path} from version ${from}`} as version {version}.
        </span>
        <button
          type="button"
          onClick={() => session.replay(seq)}
          title={`Go to this point: ${momentOf(at)}`}
          className="min-h-6 rounded-sm px-1 text-xs text-ink-3 nums hover:text-ink hover:underline"
        >
          <time dateTime={at}>{shortTime(at)}</time>
        </button>
        {version === current && <RestoreButton label="Undo" version={previous} seen={version} />}
      </p>
      <VersionActions version={version} previous={previous} seq={seq} />
    </div>
  )
}
