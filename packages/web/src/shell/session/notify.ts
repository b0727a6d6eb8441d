import { storeItem } from "../../api/store-item.ts"

const ASKED = "switchyard.asked-to-notify"

/** Asks for permission to notify: once in this browser, and only right after the user has done something. */
export function askToNotifyOnce(storage: Storage): void {
  if (!("Notification" in window) || Notification.permission !== "default") return
  if (storage.getItem(ASKED) !== null || document.hidden || !navigator.userActivation?.isActive) return
  if (storeItem(storage, ASKED, "yes")) void Notification.requestPermission()
}

/** Shows a notification, in place of the session's last one. */
export function notify(sessionId: string, title: string, body: string): void {
  if (!("Notification" in window) || Notification.permission !== "granted") return
  try {
    const shown = new Notification(title, { body, tag: sessionId, icon: "/favicon.svg" })
    shown.onclick = () => {
      window.focus()
      shown.close()
    }
  } catch (error) {
    // Browsers of phones only have those of service workers.
    if (!(error instanceof TypeError)) throw error
  }
}
