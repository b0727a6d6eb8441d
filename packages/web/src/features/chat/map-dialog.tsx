import { number, object, text } from "../../api/decode.ts"
import { useResponse } from "../../session/context/requests.ts"
import { useShownSession } from "../../session/view/use-session.ts"
import { Dialog } from "../../ui/dialog.tsx"
import { ErrorNotice, Skeleton } from "../../ui/notice.tsx"

const SymbolMap = object({ legend: text, map: text, files: number, unparsed_files: number })

/** The code map, with line numbers. */
export function MapDialog({ onClose }: { onClose(): void }) {
  const { sessionId: id } = useShownSession()
  const { data, error } = useResponse(
    ["symbol-map", id],
    "GET /api/v1/sessions/{id}/symbols/map",
    { ...{ path: { id }, query: { variant: "editor" as const }, response: SymbolMap } },
    { gcTime: 0 },
  )
  return (
    <Dialog title="Code map" onClose={onClose} wide>
      <ErrorNotice error={error} />
      {!data && !error && <Skeleton lines={8} />}
      {data && data.files === 0 && (
        <p className="text-ink-2">No code map yet. It's built when you send your first message.</p>
      )}
      {data && data.files > 0 && (
        <>
          <p className="text-sm text-ink-3">{data.legend}</p>
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
            tabIndex={0}
            className="mt-3 overflow-x-auto font-mono text-xs leading-5"
          >
            {data.map.trimStart()}
          </pre>
        </>
      )}
    </Dialog>
  )
}
