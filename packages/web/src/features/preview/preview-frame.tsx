import { type RefObject, useState } from "react"
import { useWidth } from "../../ui/use-width.ts"
import type { ShownPage } from "./use-preview.ts"

/** The widths at which a page can be looked at; null for that of the pane. */
export const frameWidths = [1280, 390] as const
export type FrameWidth = (typeof frameWidths)[number] | null

/** The permissions of the page in its frame. The studio is out of its reach because its origin is another, or none; the server says the same. */
const SANDBOX = "allow-scripts allow-forms allow-modals allow-downloads allow-pointer-lock"

interface Props {
  ref: RefObject<HTMLIFrameElement | null>
  page: ShownPage
  /** Names what is loaded: another one loads the page anew. */
  document: string
  width: FrameWidth
}

/** The page on its own origin, as wide as it is asked for, and drawn smaller where the pane is narrower. */
export function PreviewFrame({ ref, page: { url, opaque }, document, width }: Props) {
  const [stage, room] = useWidth<HTMLDivElement>()
  const [loaded, setLoaded] = useState<string | null>(null)
  const scale = width !== null && room > 0 && room < width ? room / width : 1
  const shape = width === null ? {} : { width, height: `${100 / scale}%`, transform: `scale(${scale})` }
  return (
    <div ref={stage} className="relative h-full min-h-0 overflow-hidden bg-well">
      <div className={width !== null && scale === 1 ? "flex h-full justify-center" : "h-full"}>
        <iframe
          key={document}
          ref={ref}
          src={url}
          title="Preview"
          sandbox={opaque ? SANDBOX : `${SANDBOX} allow-same-origin`}
          referrerPolicy="no-referrer"
          // Pages are drawn on white, in every browser and theme.
          style={{ ...shape, background: "#fff" }}
          data-loaded={loaded === document}
          onLoad={({ currentTarget }) => {
            // Its errors wait for this: then they are told to the studio's origin, and to no other. It is no secret, so a page
            // without an origin can be told.
            currentTarget.contentWindow?.postMessage({ switchyard: "hello" }, opaque ? "*" : new URL(url).origin)
            setLoaded(document)
          }}
          className="size-full shrink-0 origin-top-left border-0"
        />
      </div>
    </div>
  )
}
