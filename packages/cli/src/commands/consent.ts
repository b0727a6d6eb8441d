import { isRefusal, Refused } from "../errors.ts"

/** Turns a refusal for want of consent into one that names the option, and `where` to add it if not to the command; `what` will run on the server's machine. */
export function askForConsent(what: string, where = ""): (error: unknown) => never {
  return (error) => {
    if (!isRefusal(error, "consent_required")) throw error
    const message = `${what} on the server's machine without asking. Add --consent${where} to allow that.`
    throw new Refused(error.status, error.code, message)
  }
}
