import { X } from "../../ui/icons.tsx"
import type { ChatActions } from "./use-chat-actions.ts"
import type { ShownPage } from "./use-chat-context.ts"

interface Props {
  pages: readonly ShownPage[]
  actions: Pick<ChatActions, "forgetPage">
}

/** The pages that the next message shows the model, each to be left out from then on. */
export function ShownPages({ pages, actions }: Props) {
  if (pages.length === 0) return null
  return (
    <div>
      <h3 className="text-ink-2">Pages</h3>
      <ul className="mt-1 flex flex-col gap-0.5">
        {pages.map(({ url, title, summary }) => (
          <li key={url} className="flex items-start gap-1 text-xs text-ink-2">
            {summary ? (
              <details className="min-w-0 py-1">
                <summary className="truncate" title={`${url}, in short`}>
                  {title || url}
                </summary>
                <p className="mt-1 max-h-60 overflow-y-auto break-words whitespace-pre-wrap text-ink-3">{summary}</p>
              </details>
            ) : (
              <span className="min-w-0 truncate py-1" title={url}>
                {title || url}
              </span>
            )}
            <button
              type="button"
              aria-label={`Stop showing ${url}`}
              onClick={() => actions.forgetPage(url)}
              className="ml-auto inline-flex size-6 shrink-0 max-md:size-11 items-center justify-center rounded-sm text-ink-3 hover:bg-well hover:text-ink"
            >
              <X size={12} aria-hidden />
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
