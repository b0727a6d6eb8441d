import { isRefusal, Refused } from "./errors.ts"

/**
 * Converts a `consent_required` error to a message that names the option to use. `what` is a clause about the program
 * to run, such as “An agent runs commands”. `where` says where to add the option, if not to the command.
 */
export function askForConsent(what: string, where = ""): (error: unknown) => never {
  return (error) => {
    if (!isRefusal(error, "consent_required")) throw error
    const message = `${what} on the server's machine without asking. Add --consent${where} to allow that.`
    throw new Refused(error.status, error.code, message)
  }
}
