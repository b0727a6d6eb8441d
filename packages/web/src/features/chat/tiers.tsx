import { X } from "../../ui/icons.tsx"
import { count } from "./count.ts"
import type { ChatActions } from "./use-chat-actions.ts"
import { type Figures, type ShownPage, useChatContext } from "./use-chat-context.ts"

const MOST_MOVES = 6

/** The latest turn's context: how much is in each tier, and what moved. */
export function Tiers({ actions }: { actions: ChatActions }) {
  const data = useChatContext()
  const pages = data && <ShownPages pages={data.pages} actions={actions} />
  if (!data?.context) return pages
  const { tiers } = data.context
  const most = Math.max(1, ...tiers.map(({ tokens }) => tokens))
  return (
    <>
      <dl className="grid grid-cols-[auto_1fr_auto] items-center gap-x-3 gap-y-1.5">
        {tiers.map(({ tier, tokens, contents, cached }) => (
          <div key={tier} className="contents" title={titleOf(contents, cached)}>
            <dt className="font-mono text-xs text-ink-2">{tier === "active" ? "this turn" : tier}</dt>
            <dd aria-hidden className="h-2.5 min-w-0">
              <span
                className={`block h-full rounded-[2px] ${tier === "active" ? "bg-ink-3" : "bg-accent"}`}
                style={{ width: `${tokens === 0 ? 0 : Math.max(2, (tokens / most) * 100)}%` }}
              />
            </dd>
            <dd className="text-right text-xs text-ink-2 nums">{count(tokens)}</dd>
          </div>
        ))}
      </dl>
      <History figures={data.context} />
      <Rebuilt figures={data.context} />
      <Moves figures={data.context} />
      <Unmapped files={data.context.unmapped_files ?? 0} />
      {pages}
    </>
  )
}

function titleOf(contents: Figures["tiers"][number]["contents"], cached: boolean): string {
  const parts = contents.map(
    ({ type, count: some, tokens }) => `${some} ${NAMES[type] ?? type}: ${count(tokens)} tokens`,
  )
  return [...parts, cached ? "cached by the provider" : "not cached"].join("\n")
}

const NAMES: Record<string, string> = { file: "files", symbol: "map entries", history: "messages" }

function History({ figures: { history_tokens: used, history_budget: budget } }: { figures: Figures }) {
  const share = Math.min(1, used / budget)
  const tone = share <= 0.75 ? "bg-accent" : share <= 0.9 ? "bg-need" : "bg-err"
  return (
    <p className="text-ink-2 nums">
      History {count(used)} of {count(budget)} tokens
      <span aria-hidden className="mt-1 block h-1.5 rounded-[2px] bg-line">
        <span className={`block h-full rounded-[2px] ${tone}`} style={{ width: `${share * 100}%` }} />
      </span>
    </p>
  )
}

function Rebuilt({ figures: { rebuilt = [] } }: { figures: Figures }) {
  const held = rebuilt.filter(({ before, after }) => before + after > 0)
  if (held.length === 0) return null
  return (
    <p className="text-xs text-ink-2 nums">
      Items after rebuild:{" "}
      {held.map(({ tier, before, after }, at) => (
        <span key={tier} className="mr-1 inline-block">
          {tier === "active" ? "this turn" : tier} {before} → {after}
          {at < held.length - 1 && ","}
        </span>
      ))}
    </p>
  )
}

function Moves({ figures: { promotions, demotions } }: { figures: Figures }) {
  const moves = [...demotions.map((move) => ["▼", move] as const), ...promotions.map((move) => ["▲", move] as const)]
  if (moves.length === 0) return null
  return (
    <ul className="flex flex-col gap-0.5 text-xs text-ink-2">
      {moves.slice(0, MOST_MOVES).map(([sign, { key, from, to }]) => (
        <li key={key} className="truncate" title={key}>
          {sign} {nameOf(key)} {from === "active" ? "this turn" : from} → {to === "active" ? "this turn" : to}
        </li>
      ))}
      {moves.length > MOST_MOVES && <li className="text-ink-3">and {moves.length - MOST_MOVES} more</li>}
    </ul>
  )
}

function Unmapped({ files }: { files: number }) {
  if (files === 0) return null
  return (
    <p className="text-xs text-ink-3">
      {files === 1
        ? "1 source file isn't in the code map. Select the file to include it."
        : `${count(files)} source files aren't in the code map. Select any you want to include.`}
    </p>
  )
}

function nameOf(key: string): string {
  const name = key.slice(key.indexOf(":") + 1)
  return key.startsWith("history:") ? "a message" : name
}

/** Pages included in the next message. Each can be removed. */
function ShownPages({ pages, actions }: { pages: readonly ShownPage[]; actions: Pick<ChatActions, "forgetPage"> }) {
  if (pages.length === 0) return null
  return (
    <div>
      <h3 className="text-ink-2">Linked pages</h3>
      <ul className="mt-1 flex flex-col gap-0.5">
        {pages.map(({ url, title, summary }) => (
          <li key={url} className="flex items-start gap-1 text-xs text-ink-2">
            {summary ? (
              <details className="min-w-0 py-1">
                <summary className="truncate" title={`Summary of ${url}`}>
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
              aria-label={`Remove ${url}`}
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
