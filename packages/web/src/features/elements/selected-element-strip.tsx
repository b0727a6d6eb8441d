import { elementsNote } from "@switchyard/core/work/workflow/plan/elements-note"
import { useEffect, useRef, useState } from "react"
import { flushSync } from "react-dom"
import type { ElementPicture } from "../../session/context/studio.ts"
import { useModel } from "../../session/models/use-model.ts"
import { useModelLists, useModelProviders } from "../../session/models/use-model-providers.ts"
import type { useSelectedElements } from "../../session/view/use-selected-elements.ts"
import { Dialog } from "../../ui/dialog.tsx"
import { X } from "../../ui/icons.tsx"
import { MoreButton, Printed } from "../../ui/long-text.tsx"
import { MousePointer } from "../../ui/session-icons.tsx"
import { type AttachedImage, MAX_IMAGES } from "../images/attached-image.ts"
import { elementName, elementPlace } from "./element-name.ts"
import { withPictures } from "./with-pictures.ts"

interface Props {
  of: ReturnType<typeof useSelectedElements>
  /** Images of the next request. */
  images: readonly AttachedImage[]
}

/** Elements of the next request and their pictures, which can be removed, and the text that is sent for them. */
export function SelectedElementStrip({ of: { elements, illustrate, remove }, images }: Props) {
  const strip = useRef<HTMLDivElement>(null)
  const [shown, setShown] = useState(false)
  const count = elements.length
  const last = useRef(0)
  // After selecting an element, people describe the change.
  useEffect(() => {
    if (count > last.current) strip.current?.closest("form")?.querySelector("textarea")?.focus()
    last.current = count
  }, [count])

  const blind = useBlindModel()
  useEffect(() => {
    if (blind === null) return
    for (const element of elements)
      if (element.picture?.shown) illustrate(element, { ...element.picture, shown: false })
  }, [blind, elements, illustrate])
  const sent = withPictures(images, elements).elements

  /** Removes an element, and focuses the next one. */
  function removeAt(at: number): void {
    const form = strip.current?.closest("form")
    flushSync(() => remove(at))
    const buttons = strip.current?.querySelectorAll<HTMLElement>("li > button") ?? []
    const next = buttons[Math.min(at, buttons.length - 1)] ?? form?.querySelector("textarea")
    next?.focus()
  }

  return (
    <div ref={strip} className="px-3 pt-1 pb-2">
      <ul aria-label="Selected elements" className="flex max-h-[40vh] flex-wrap gap-1.5 overflow-y-auto">
        {elements.map((element, at) => {
          const name = elementName(element)
          return (
            <li
              key={`${at.toString()} ${element.selector}`}
              className="flex max-w-full min-w-0 flex-wrap items-center gap-x-1.5 rounded-md border border-line bg-well pl-2 text-xs"
            >
              <MousePointer size={12} aria-hidden className="shrink-0 text-accent" />
              <span className="min-w-0 flex-1 py-1">
                <span className="flex gap-1.5">
                  <span className="min-w-0 truncate font-mono">{name}</span>
                  <span className="min-w-0 truncate text-ink-2">{elementPlace(element)}</span>
                </span>
                {element.text !== "" && <span className="block truncate text-ink-2">“{element.text}”</span>}
              </span>
              <button
                type="button"
                aria-label={`Remove ${name}`}
                onClick={() => removeAt(at)}
                className="inline-flex size-7 shrink-0 items-center justify-center self-stretch text-ink-2 hover:text-ink max-md:size-11"
              >
                <X size={12} aria-hidden />
              </button>
              {element.picture && (
                <PictureOf
                  name={name}
                  picture={element.picture}
                  reason={
                    blind !== null
                      ? `${blind} can't look at images, so the picture isn't sent.`
                      : element.picture.shown && sent[at]?.image === undefined
                        ? `The picture won't be sent. A request can include up to ${MAX_IMAGES} images.`
                        : null
                  }
                  onShow={(picture) => illustrate(element, picture)}
                  onRemove={() => illustrate(element, undefined)}
                />
              )}
            </li>
          )
        })}
      </ul>
      <MoreButton expanded={shown} onToggle={() => setShown(!shown)}>
        {shown ? "Hide what's sent" : "Show what's sent"}
      </MoreButton>
      {shown && <Printed output={elementsNote(sent)} className="mt-1 max-h-40" />}
    </div>
  )
}

/** Returns the next run's model if it is known not to take images; null otherwise. */
function useBlindModel(): string | null {
  const { name, provider } = useModel()
  const { providers } = useModelProviders()
  const [list] = useModelLists(providers.filter(({ id }) => id === provider))
  return list?.data?.models.find((model) => model.name === name)?.sees_images === false ? name : null
}

interface PictureProps {
  name: string
  picture: ElementPicture
  /** Why it isn't sent; null if it is. */
  reason: string | null
  onShow(picture: ElementPicture): void
  onRemove(): void
}

/** A picture that a page drew. It is sent only after it was on the screen, where small text can be enlarged. */
function PictureOf({ name, picture, reason, onShow, onRemove }: PictureProps) {
  const [enlarged, setEnlarged] = useState(false)
  const image = useRef<HTMLImageElement>(null)
  const [isLoaded, setIsLoaded] = useState(false)
  const latest = useRef(onShow)
  latest.current = onShow
  const isSent = reason === null
  useEffect(() => {
    if (!isLoaded || picture.shown || !isSent || !image.current) return
    image.current.scrollIntoView({ block: "nearest" })
    const seen = (entries: IntersectionObserverEntry[]) => {
      if (entries.some(({ intersectionRatio }) => intersectionRatio >= FULLY))
        latest.current({ ...picture, shown: true })
    }
    const observer = new IntersectionObserver(seen, { threshold: FULLY })
    observer.observe(image.current)
    return () => observer.disconnect()
  }, [isLoaded, isSent, picture])

  if (reason !== null) return <p className="w-full pr-2 pb-1 text-ink-2">{reason}</p>
  const alt = `${name}, as the page drew it`
  return (
    <span className="flex w-full items-start gap-1.5 pb-1.5">
      <img
        ref={image}
        src={picture.src}
        alt={alt}
        onLoad={() => setIsLoaded(true)}
        // A hidden pane keeps its layout, so a picture there would count as being on the screen.
        className="in-[[inert]]:hidden max-h-28 min-w-0 rounded-sm border border-line object-contain"
      />
      <span className="ml-auto flex shrink-0 flex-col items-end pr-2">
        <button type="button" onClick={() => setEnlarged(true)} className={link}>
          Enlarge<span className="unseen"> picture of {name}</span>
        </button>
        <button
          type="button"
          onClick={({ currentTarget }) => {
            // The removed button would lose the focus.
            currentTarget.closest("li")?.querySelector<HTMLElement>(":scope > button")?.focus()
            onRemove()
          }}
          className={link}
        >
          Remove picture<span className="unseen"> of {name}</span>
        </button>
      </span>
      {enlarged && (
        <Dialog title={alt} wide onClose={() => setEnlarged(false)}>
          <img src={picture.src} alt={alt} className="mx-auto border border-line" />
        </Dialog>
      )}
    </span>
  )
}

/** Visible part of a picture that counts as all of it. Borders may end between two pixels. */
const FULLY = 0.98

const link = "min-h-6 text-accent underline underline-offset-2 max-md:min-h-11"
