import { ApiError } from "../../../api/client.ts"
import { Notice } from "../../../ui/notice.tsx"

interface Props {
  error: Error
  /** True if the refused merge stays paused, with its conflicts resolved. */
  waits?: boolean
  className?: string
}

/** The server's refusal with its details: the files in the way, their checkout, and the output of a hook or git. */
export function Refusal({ error, waits, className }: Props) {
  const details = error instanceof ApiError ? error.details : {}
  const words = details.output ?? details.said
  const files = Array.isArray(details.files) ? details.files.filter((file) => typeof file === "string") : []
  return (
    <Notice tone="err" className={className}>
      <p>{error.message}</p>
      {typeof details.checkout === "string" && (
        <p className="mt-1">
          Checkout: <code className="font-mono text-xs break-all">{details.checkout}</code>
        </p>
      )}
      {files.length > 0 && (
        <ul className="mt-1 max-h-40 list-disc overflow-y-auto pl-5 font-mono text-xs">
          {files.slice(0, MOST_FILES).map((file) => (
            <li key={file} className="break-all">
              {file}
            </li>
          ))}
          {files.length > MOST_FILES && <li>and {files.length - MOST_FILES} more</li>}
        </ul>
      )}
      {typeof words === "string" && words !== "" && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keys
        <pre tabIndex={0} className="mt-1 max-h-40 overflow-y-auto font-mono text-xs break-words whitespace-pre-wrap">
          {words}
        </pre>
      )}
      {error instanceof ApiError && error.code === "commit_refused" && (
        <p className="mt-1">Nothing was merged.{waits && " The merge stays paused, and your resolutions are saved."}</p>
      )}
      {error instanceof ApiError && error.code === "merge_blocked" && (
        <p className="mt-1">Nothing was changed. Commit or stash your changes, then try again.</p>
      )}
    </Notice>
  )
}

const MOST_FILES = 50
