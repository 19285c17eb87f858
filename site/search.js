// How texts and queries become the terms of the index. Both functions are sent to the browser as text, so that each must be
// complete in itself.

/**
 * Returns the terms of a text. Words of code are found as a whole and by their parts. Chinese has no spaces: each character and
 * each pair of neighbours is a term, which, unlike a dictionary, gives the same terms in every browser.
 */
export function indexTerms(text) {
    const terms = []
    for (const [word] of text.matchAll(/\p{Script=Han}+|(?:(?!\p{Script=Han})[\p{L}\p{N}_.-])+/gu)) {
        if (/\p{Script=Han}/u.test(word)) {
            const characters = [...word]
            characters.forEach((character, i) => {
                terms.push(character)
                if (i > 0) {
                    terms.push(characters[i - 1] + character)
                }
            })
        } else {
            const whole = word.replace(/^[.-]+|[.-]+$/g, '')
            const words = whole.split(/[._-]+/)
            const parts = words.flatMap((part) => part.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/))
            terms.push(...new Set([whole, ...words, ...parts]))
        }
    }
    return terms.filter(Boolean)
}

/**
 * Returns the terms of a query, without words of questions. Of Chinese words, these are the pairs, because most single characters
 * are on every page.
 */
export function queryTerms(text) {
    const common = /^(a|an|and|are|can|do|does|for|how|i|if|in|is|it|my|of|on|or|the|to|what|when|why|with)$/i
    const terms = []
    const single = []
    const known = text
        .replace(/宕机|挂了|挂掉/g, ' 连不上 不可用 ')
        .replace(/主从切换|主备切换/g, ' 故障转移 ')
        .replace(/续命|续约/g, ' 续期 ')
    const words = known.replace(/为什么|怎么办|怎么|怎样|如何|什么|哪些|是否|可以|多少|[吗呢的了]/g, ' ') || known
    for (const [word] of words.matchAll(/\p{Script=Han}+|(?:(?!\p{Script=Han})[\p{L}\p{N}_.-])+/gu)) {
        const characters = [...word]
        if (!/\p{Script=Han}/u.test(word)) {
            const whole = word.replace(/^[.-]+|[.-]+$/g, '')
            terms.push(...new Set([whole, ...whole.split(/[._-]+/)]))
        } else if (characters.length === 1) {
            single.push(word)
        } else {
            characters.slice(1).forEach((character, i) => terms.push(characters[i] + character))
        }
    }
    const rare = terms.filter((term) => term && !common.test(term))
    return rare.length > 0 ? rare : [...terms, ...single]
}
