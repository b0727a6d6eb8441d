import { clsx } from "clsx"
import { useMemo } from "react"
import { lineLooks } from "../../ui/changed-part.ts"
import { CodeText, type Span } from "../../ui/code-text.tsx"
import { useLineColors } from "../files/editor/use-line-colors.ts"
import type { ChangeRow } from "./change-rows.ts"

/** Returns the syntax colours of each row, read as code of its side of the change. */
export function useRowColors(rows: ChangeRow[], path: string): (readonly Span[] | undefined)[] {
  const colors = useLineColors(path)
  return useMemo(() => {
    if (colors === null) return []
    const sideOf = (other: ChangeRow["type"]) => rows.flatMap(({ type }, at) => (type === other ? [] : [at]))
    const spans: (readonly Span[] | undefined)[] = []
    for (const side of [sideOf("add"), sideOf("delete")]) {
      const ofSide = colors(side.map((at) => rows[at]?.text ?? ""))
      for (const [index, at] of side.entries()) spans[at] = ofSide[index]
    }
    return spans
  }, [rows, colors])
}

/** A line of an edit. */
export function ChangeLine({ row: { type, text, changed }, spans }: LineProps) {
  const { tone, sign, signTone, mark } = lineLooks[type]
  return (
    <div className={clsx("flex px-2 whitespace-pre [tab-size:4]", tone)}>
      <span aria-hidden className={clsx("w-4 shrink-0 select-none", signTone)}>
        {sign}
      </span>
      <span>
        {type !== "context" && <span className="unseen">{type === "add" ? "Added: " : "Removed: "}</span>}
        <CodeText text={text} changed={changed} spans={spans} mark={mark} />
      </span>
    </div>
  )
}

interface LineProps {
  row: ChangeRow
  spans: readonly Span[] | undefined
}
