import type { Page } from "playwright-core"

/** Returns the layout faults of a page once two consecutive frames have the same faults. */
export async function layoutFaults(page: Page): Promise<string[]> {
  let before = await page.evaluate(faultsNow)
  for (;;) {
    const after = await page.evaluate(faultsNow)
    if (after.join() === before.join()) return after
    before = after
  }
}

/**
 * Runs in the page. A fault is a document or pane that scrolls sideways, a control that the window or a pane cuts off,
 * or a control that overlaps another one.
 */
async function faultsNow(): Promise<string[]> {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  const CONTROLS =
    "a[href], button, input, select, textarea, summary, [role=button], [role=tab], [role=option], [role=slider]"
  /** Strips, code, diffs, terminals and tables scroll sideways on purpose. */
  const SIDEWAYS =
    "nav, pre, code, [role=tablist], .cm-scroller, [data-pty], :has(> [data-pty]), section[aria-label^='Diff of'], :has(> table)"
  const SLACK = 1

  const nameOf = (one: Element) => {
    const label = one.getAttribute("aria-label") ?? one.textContent?.trim() ?? ""
    const id = one.id === "" ? "" : `#${one.id}`
    return `${one.tagName.toLowerCase()}${id} “${label.slice(0, 50)}” in ${placeOf(one)}`
  }
  const placeOf = (one: Element) =>
    one.parentElement?.closest("[aria-label], [data-region]")?.getAttribute("aria-label") ??
    one.parentElement?.closest("[data-region]")?.getAttribute("data-region") ??
    "the page"

  /** Returns the visible part of a control, and a fault if the control can't be scrolled into view entirely. */
  function seen(control: Element): { box: DOMRect | null; fault: string | null } {
    let { left, top, right, bottom } = control.getBoundingClientRect()
    let isReachableX = false
    let isReachableY = false
    let fault: string | null = null
    const isFixed = getComputedStyle(control).position === "fixed"
    for (let frame = control.parentElement; frame !== null && !isFixed; frame = frame.parentElement) {
      const { overflowX, overflowY, textOverflow, position } = getComputedStyle(frame)
      const isRoot = frame === document.body || frame === document.documentElement
      if (overflowX !== "visible" && !isRoot) {
        const clip = frame.getBoundingClientRect()
        if (textOverflow === "ellipsis") isReachableX = true
        if (/auto|scroll/.test(overflowX)) isReachableX ||= frame.closest(SIDEWAYS) !== null
        if (/auto|scroll/.test(overflowY)) isReachableY = true
        if (!isReachableX && (left < clip.left - SLACK || right > clip.right + SLACK)) {
          fault ??= `${Math.round(left)}–${Math.round(right)} px, but its pane ends at ${Math.round(clip.left)}–${Math.round(clip.right)} px`
        }
        if (!isReachableY && (top < clip.top - SLACK || bottom > clip.bottom + SLACK)) {
          fault ??= `${Math.round(top)}–${Math.round(bottom)} px down, but its pane ends at ${Math.round(clip.top)}–${Math.round(clip.bottom)} px`
        }
        left = Math.max(left, clip.left)
        right = Math.min(right, clip.right)
        top = Math.max(top, clip.top)
        bottom = Math.min(bottom, clip.bottom)
      }
      if (position === "fixed") break
    }
    if (!isReachableX && (left < -SLACK || right > innerWidth + SLACK)) {
      fault ??= `${Math.round(left)}–${Math.round(right)} px, but the window ends at ${innerWidth} px`
    }
    if (!isReachableY && (top < -SLACK || bottom > innerHeight + SLACK)) {
      fault ??= `${Math.round(top)}–${Math.round(bottom)} px down, but the window ends at ${innerHeight} px`
    }
    const box = right - left > 1 && bottom - top > 1 ? new DOMRect(left, top, right - left, bottom - top) : null
    return { box, fault }
  }

  const isShown = (one: Element) =>
    one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    one.getBoundingClientRect().width > 1 &&
    one.closest("[inert], [aria-hidden=true], .unseen") === null

  const faults: string[] = []
  const { scrollWidth } = document.documentElement
  if (scrollWidth > innerWidth) faults.push(`the document is ${scrollWidth} px wide`)
  for (const pane of document.querySelectorAll("body *")) {
    if (!/auto|scroll/.test(getComputedStyle(pane).overflowX) || pane.closest(SIDEWAYS) || !isShown(pane)) continue
    if (pane.scrollWidth > pane.clientWidth + SLACK) {
      faults.push(`${nameOf(pane)} scrolls sideways: ${pane.scrollWidth} of ${pane.clientWidth} px`)
    }
  }
  // Controls behind a modal dialog can't be used.
  const modal = [...document.querySelectorAll("dialog")].findLast((one) => one.matches(":modal"))
  const controls = [...(modal ?? document).querySelectorAll(CONTROLS)].filter(isShown)
  const boxes = controls.flatMap((control) => {
    const { box, fault } = seen(control)
    if (fault) faults.push(`${nameOf(control)} is cut: ${fault}`)
    return box ? [{ control, box }] : []
  })
  for (const [at, { control, box }] of boxes.entries()) {
    for (const { control: other, box: otherBox } of boxes.slice(at + 1)) {
      if (control.contains(other) || other.contains(control)) continue
      const width = Math.min(box.right, otherBox.right) - Math.max(box.left, otherBox.left)
      const height = Math.min(box.bottom, otherBox.bottom) - Math.max(box.top, otherBox.top)
      if (width <= 2 || height <= 2) continue
      const [small, area] =
        box.width * box.height < otherBox.width * otherBox.height ? [control, box] : [other, otherBox]
      const isWithin = width >= area.width - SLACK && height >= area.height - SLACK
      const top = document.elementFromPoint(area.left + area.width / 2, area.top + area.height / 2)
      // A button on a row that is a link lies on top of it.
      if (isWithin && (small.contains(top) || small.closest("label")?.contains(top))) continue
      faults.push(`${nameOf(control)} overlaps ${nameOf(other)} by ${Math.round(width)} × ${Math.round(height)} px`)
    }
  }
  return [...new Set(faults)]
}
