import { type ReactNode, type RefObject, useState } from "react"
import { useWidth } from "../../ui/use-width.ts"
import type { ShownPage } from "./use-preview.ts"

/** Widths at which a page can be viewed; null for the pane's width. */
export const frameWidths = [1280, 390] as const
export type FrameWidth = (typeof frameWidths)[number] | null

/**
 * Permissions of the page in its frame. It can't access the studio, because its origin is different, or it has none.
 * The server sets the same policy.
 */
const SANDBOX = "allow-scripts allow-forms allow-modals allow-downloads allow-pointer-lock"

interface Props {
  ref: RefObject<HTMLIFrameElement | null>
  page: ShownPage
  /** Identifies what is loaded. The page is reloaded if it changes. */
  document: string
  width: FrameWidth
  /** Called when a page was loaded into the frame. */
  onLoad(): void
  /** Covers the page. */
  overlay?: ReactNode
}

/** The page on its own origin, at the requested width, scaled down if the pane is narrower. */
export function PreviewFrame({ ref, page: { url, opaque }, document, width, onLoad, overlay }: Props) {
  const [stage, room] = useWidth<HTMLDivElement>()
  const [loaded, setLoaded] = useState<string | null>(null)
  const scale = width !== null && room > 0 && room < width ? room / width : 1
  const shape = width === null ? {} : { width, height: `${100 / scale}%`, transform: `scale(${scale})` }
  return (
    <div ref={stage} className="relative h-full min-h-0 overflow-hidden bg-well">
      <div className={width !== null && scale === 1 ? "flex h-full justify-center" : "h-full"}>
        <div style={shape} className="relative size-full shrink-0 origin-top-left">
          <iframe
            key={document}
            ref={ref}
            src={url}
            title="Preview"
            sandbox={opaque ? SANDBOX : `${SANDBOX} allow-same-origin`}
            referrerPolicy="no-referrer"
            // Pages are drawn on white, in every browser and theme.
            style={{ background: "#fff" }}
            data-loaded={loaded === document}
            onLoad={({ currentTarget }) => {
              // The page's errors wait for this message, and are then sent only to the studio's origin. The message
              // isn't secret, so it can be sent to a page without an origin too.
              currentTarget.contentWindow?.postMessage({ switchyard: "hello" }, opaque ? "*" : new URL(url).origin)
              setLoaded(document)
              onLoad()
            }}
            className="block size-full border-0"
          />
          {overlay}
        </div>
      </div>
    </div>
  )
}
