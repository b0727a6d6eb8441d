import type { SessionApp } from "@switchyard/core/sessions/apps/schema"
import { showBidiControls } from "@switchyard/core/text/bidi-controls"
import { formatBytes, formatCount } from "@switchyard/core/text/format"
import { Notice } from "../../ui/notice.tsx"

/** Names the folder and files that are published, and lists those that aren't. */
export function AppFacts({ plan }: { plan: SessionApp }) {
  const { version, folder, file_count, size_bytes, left_out, left_out_count } = plan
  const more = left_out_count - left_out.length
  return (
    <div className="text-sm">
      <p className="font-semibold">Files to publish</p>
      <p className="mt-1 text-ink-2 nums break-words">
        Version {version}, {folder === "" ? "from the project root" : `from the folder ${showBidiControls(folder)}`}:{" "}
        {formatCount(file_count, "file")}, {formatBytes(size_bytes)}
      </p>
      {left_out_count > 0 && (
        <details className="mt-1">
          <summary className="cursor-pointer text-ink-2 hover:text-ink">
            {formatCount(left_out_count, "other file")} {left_out_count === 1 ? "stays" : "stay"} private
          </summary>
          <ul className="mt-1 rounded-md bg-well px-3 py-2 font-mono text-xs">
            {left_out.map((path) => (
              <li key={path} className="break-all">
                {showBidiControls(path)}
              </li>
            ))}
            {more > 0 && <li className="text-ink-3">and {formatCount(more, "other")}</li>}
          </ul>
        </details>
      )}
    </div>
  )
}

/** Says what an app can't do on a host that it shares with other apps. */
export function SharedHostNotice() {
  return (
    <Notice>
      All apps on this server share one host, so your app can't store data. Cookies and local storage are lost when the
      page reloads, and IndexedDB doesn't work. To give each app its own host, set up a preview domain.
    </Notice>
  )
}
