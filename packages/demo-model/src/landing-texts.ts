import type { Locale } from "./locales.ts"
import type { Substitutions } from "./substitute.ts"

/** Returns the texts of `recipes/landing` in another language. */
export function landingTexts(locale: Locale, name: string): Substitutions {
  if (locale === "en") return {}
  const named = Object.entries(texts[locale]).map(([own, other]) => [own, other.replace("Sample Project", name)])
  return { 'lang="en"': `lang="${locale}"`, ...Object.fromEntries(named) }
}

const texts = {
  de: {
    "Why Sample Project": "Warum Sample Project",
    "Made with care": "Mit Sorgfalt gemacht",
    "What it does, it does well. Tell here what you never compromise on.":
      "Was es tut, tut es gut. Hier steht, wobei Sie keine Kompromisse machen.",
    "Easy to begin": "Leicht begonnen",
    "Nothing to learn first. Tell here what the first five minutes are like.":
      "Man muss nichts vorher lernen. Hier steht, wie die ersten fünf Minuten sind.",
    "Here to stay": "Von Dauer",
    "Someone answers. Tell here who you are, and since when you do this.":
      "Jemand antwortet. Hier steht, wer Sie sind und seit wann Sie das tun.",
    "Hear from us": "Von uns hören",
    "Your name": "Ihr Name",
    "Your email address": "Ihre E-Mail-Adresse",
    "Sign up": "Anmelden",
    "Thank you, ": "Vielen Dank, ",
    "Please tell us your name.": "Bitte nennen Sie Ihren Namen.",
    "Please check your email address.": "Bitte prüfen Sie Ihre E-Mail-Adresse.",
    "A project that is an example.": "Ein neuer Ort im Netz.",
  },
  fr: {
    "Why Sample Project": "Pourquoi Sample Project",
    "Made with care": "Fait avec soin",
    "What it does, it does well. Tell here what you never compromise on.":
      "Ce qui est fait est bien fait. Dites ici sur quoi vous ne transigez jamais.",
    "Easy to begin": "Facile à commencer",
    "Nothing to learn first. Tell here what the first five minutes are like.":
      "Rien à apprendre d’abord. Racontez ici les cinq premières minutes.",
    "Here to stay": "Fait pour durer",
    "Someone answers. Tell here who you are, and since when you do this.":
      "Quelqu’un répond. Dites ici qui vous êtes, et depuis quand.",
    "Hear from us": "Restons en contact",
    "Your name": "Votre nom",
    "Your email address": "Votre adresse e-mail",
    "Sign up": "S’inscrire",
    "Thank you, ": "Merci, ",
    "Please tell us your name.": "Indiquez votre nom.",
    "Please check your email address.": "Vérifiez votre adresse e-mail.",
    "A project that is an example.": "Un nouveau lieu sur le web.",
  },
  es: {
    "Why Sample Project": "Por qué Sample Project",
    "Made with care": "Hecho con cuidado",
    "What it does, it does well. Tell here what you never compromise on.":
      "Lo que hace, lo hace bien. Cuente aquí en qué no cede nunca.",
    "Easy to begin": "Fácil de empezar",
    "Nothing to learn first. Tell here what the first five minutes are like.":
      "No hay que aprender nada antes. Cuente aquí cómo son los primeros cinco minutos.",
    "Here to stay": "Para quedarse",
    "Someone answers. Tell here who you are, and since when you do this.":
      "Alguien responde. Cuente aquí quién es y desde cuándo lo hace.",
    "Hear from us": "Reciba noticias",
    "Your name": "Su nombre",
    "Your email address": "Su correo electrónico",
    "Sign up": "Suscribirse",
    "Thank you, ": "Gracias, ",
    "Please tell us your name.": "Escriba su nombre.",
    "Please check your email address.": "Revise su correo electrónico.",
    "A project that is an example.": "Un lugar nuevo en la web.",
  },
} satisfies Record<Exclude<Locale, "en">, Substitutions>
