import { ApiError } from "../../api/client.ts"
import { Notice } from "../../ui/notice.tsx"

/** Why something wasn't done, in the server's words, with what it names: files in the way, where they lie, and what a hook printed. */
export function Refusal({ error, className }: { error: Error; className?: string }) {
  const details = error instanceof ApiError ? error.details : {}
  const files = Array.isArray(details.files) ? details.files.filter((file) => typeof file === "string") : []
  return (
    <Notice tone="err" className={className}>
      <p>{error.message}</p>
      {typeof details.checkout === "string" && (
        <p className="mt-1">
          In the checkout <code className="font-mono text-xs break-all">{details.checkout}</code>
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
      {typeof details.output === "string" && details.output !== "" && (
        <pre className="mt-1 max-h-40 overflow-y-auto font-mono text-xs break-words whitespace-pre-wrap">
          {details.output}
        </pre>
      )}
      {error instanceof ApiError && error.code === "commit_refused" && <p className="mt-1">Nothing was merged.</p>}
      {error instanceof ApiError && error.code === "merge_blocked" && (
        <p className="mt-1">Nothing was merged. Commit or put away what is there, then merge again.</p>
      )}
    </Notice>
  )
}

const MOST_FILES = 50
