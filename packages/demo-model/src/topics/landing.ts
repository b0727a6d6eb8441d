import { landingTexts } from "../landing-texts.ts"
import type { Recipe } from "../project.ts"
import { phrases } from "../prompt-words.ts"
import { capitalised } from "../substitute.ts"

/** A page that presents something. */
export const landing: Recipe = {
  title: "Landing Page",
  phrases: phrases("landing page, home page, homepage, portfolio, portfolio page, one pager, about page"),
  does: phrases("sign up, sign up form, shop, business, contact form, name, names, shop page, heading, three reasons"),
  kind: "page",
  kinds: ["page"],
  summary: "A page that says what something is, why it is good, and takes a name and an address.",
  features: () => [
    "A heading, three reasons and a form that checks what is typed",
    "Readable in light and dark, on a phone and on a desk",
    "Its texts are a start, in index.html, to be made your own",
  ],
  folders: ["landing", "page"],
  module: "sign-up",
  purposes: { module: () => "Checks a sign-up.", tests: "Tests for the module.", command: "" },
  choices: { subject: true, locale: true },
  ownFields: [],
  substitutions: (_, { name, subject, locale }) => ({
    ...landingTexts(locale, name),
    ...(subject && { "A new place on the web.": `${capitalised(subject)}.` }),
  }),
}
