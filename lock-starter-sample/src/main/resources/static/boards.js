// What concerns all instances: the waiting lines, the tickets, and the log of what happened.

import { h, reconcile, seconds, setText } from './dom.js';

const NEWS_KEPT = 200;
const TROUBLE = new Set(['lost', 'at risk', 'recovered', 'renewal failed', 'write refused', 'not acquired', 'forced', 'instance']);
const ROUTINE = new Set(['renewed', 'released', 'not free']);

/** The holder and the waiters of each lock, in the order in which they came. */
export function renderLines(parent, instances) {
  const lines = new Map();
  const line = (name) => lines.get(name) ?? lines.set(name, { name, holders: [], waiting: [] }).get(name);
  for (const instance of instances.filter((one) => one.isAnswering() || one.status() === 'silent')) {
    instance.state.locks.filter((held) => held.remaining > instance.age())
      .forEach((held) => line(held.name).holders.push(`instance ${instance.port}`));
    instance.state.waiting.forEach((awaited) => line(awaited.name).waiting.push({
      instance, awaited, since: instance.receivedAt - awaited.longest,
    }));
  }
  const busy = [...lines.values()].filter((one) => one.waiting.length > 0);
  const entries = busy.length > 0 ? busy : [{ name: '' }];
  reconcile(parent, entries, (one) => one.name,
    (one) => (one.name === ''
      ? h('p', { className: 'empty' }, 'Nobody waits. Buy 50 at once, and a line forms.')
      : h('div', {}, h('h3', {}, one.name), h('p', { className: 'holder' }), h('ol', {}))),
    (element, one) => {
      if (one.name !== '') {
        updateLine(element, one);
      }
    });
}

function updateLine(element, line) {
  const holders = [...new Set(line.holders)];
  setText(element.querySelector('.holder'),
    holders.length > 0 ? `held by ${holders.join(' and ')}` : 'between two owners, or held by a process that is gone');
  const waiting = line.waiting.sort((one, other) => one.since - other.since);
  reconcile(element.querySelector('ol'), waiting, (one) => `${one.instance.port} ${one.awaited.mode}`,
    () => h('li', {}),
    (item, { instance, awaited }) => setText(item, `instance ${instance.port}: ${awaited.waiters} waiting, the first for ${
      seconds(awaited.longest + instance.age())}`));
}

export class Tickets {
  constructor(body, sold) {
    this.body = body;
    this.sold = sold;
    this.refused = [];
  }

  refuse(news) {
    this.refused.unshift({ ...news, refused: true });
    this.refused.length = Math.min(this.refused.length, 5);
  }

  render(sales, eventId) {
    if (sales === null) {
      return;
    }
    const event = sales.events.find((one) => one.id === eventId);
    setText(this.sold, event === undefined
      ? 'No event yet. Open one above.'
      : `${event.id}: ${event.sold} of ${event.seats} seats sold, largest token ${event.token}`);
    const tickets = sales.tickets.filter((ticket) => ticket.eventId === eventId);
    const refused = this.refused.filter((news) => news.lock === `event:${eventId}`);
    const rows = [...tickets, ...refused].sort((one, other) => compareTokens(other.token, one.token));
    reconcile(this.body, rows, (row) => `${row.refused ? 'refused' : row.number} ${row.token}`,
      (row) => h('tr', { className: row.refused ? 'refused' : '' },
        h('td', {}, row.refused ? '–' : String(row.number)), h('td', {}, row.token),
        h('td', {}, row.refused ? '✗ refused' : 'sold')),
      () => {});
  }
}

/** Tokens are text: a number of JavaScript has 53 bits. */
function compareTokens(one, other) {
  const difference = BigInt(one) - BigInt(other);
  return difference < 0n ? -1 : Number(difference > 0n);
}

export class News {
  constructor(list, filter, empty, announcer) {
    this.list = list;
    this.filter = filter;
    this.empty = empty;
    this.announcer = announcer;
    this.items = [];
    this.last = 0;
    filter.addEventListener('change', () => this.render());
  }

  add(port, news) {
    this.last += 1;
    this.items.unshift({ ...news, port, number: this.last });
    this.items.length = Math.min(this.items.length, NEWS_KEPT);
    if (['lost', 'at risk', 'write refused', 'instance', 'forced'].includes(news.type)) {
      setText(this.announcer, `Instance ${port}: ${news.lock} ${news.type}. ${news.detail}`);
    }
  }

  render() {
    const shown = this.items.filter((item) => ({
      all: true,
      notable: !ROUTINE.has(item.type),
      trouble: TROUBLE.has(item.type),
    })[this.filter.value]);
    this.empty.hidden = shown.length > 0;
    reconcile(this.list, shown, (item) => item.number, (item) => {
      const time = new Date(item.at).toLocaleTimeString('en-GB');
      return h('li', { 'data-type': item.type },
        h('time', {}, time), ` ${item.port} `, h('strong', {}, item.type),
        ` ${item.lock}${item.token === null ? '' : `, token ${item.token}`}${item.detail === '' ? '' : `: ${item.detail}`}`);
    }, () => {});
  }
}
