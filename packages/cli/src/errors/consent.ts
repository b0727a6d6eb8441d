import { isRefusal, Refused } from "./errors.ts"

/**
 * Translates a `consent_required` refusal into a message that names the option. `what` will run on the server's
 * machine; `where` names another place for the option than the command.
 */
export function askForConsent(what: string, where = ""): (error: unknown) => never {
  return (error) => {
    if (!isRefusal(error, "consent_required")) throw error
    const message = `${what} on the server's machine without asking. Add --consent${where} to allow that.`
    throw new Refused(error.status, error.code, message)
  }
}
