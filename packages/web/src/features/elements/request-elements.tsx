import type { PageElement } from "@switchyard/core/work/workflow/elements-schema"
import { elementName, elementPlace } from "./element-name.ts"

interface Props {
  elements: readonly PageElement[]
  onOpen(path: string): void
}

/** The elements that a request was about. */
export function RequestElements({ elements, onOpen }: Props) {
  return (
    <ul aria-label="Selected elements" className="mt-1.5 flex flex-col gap-0.5 text-xs text-ink-2">
      {elements.map((element, at) => {
        const { file, html } = element
        const place = elementPlace(element)
        return (
          <li key={`${at.toString()} ${element.selector}`} className="flex min-w-0 gap-1.5" title={html}>
            <span className="max-w-[60%] shrink-0 truncate font-mono text-ink">{elementName(element)}</span>
            {file === undefined ? (
              <span className="truncate">{place}</span>
            ) : (
              <button type="button" onClick={() => onOpen(file)} className="truncate text-accent hover:underline">
                {place}
              </button>
            )}
          </li>
        )
      })}
    </ul>
  )
}
