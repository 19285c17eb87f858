// One card for each instance: what it holds, what it waits for, and its buttons.

import { h, reconcile, seconds, setText } from './dom.js';

const STATUS_TEXT = {
  answers: () => 'answers',
  'in trouble': () => 'cannot lock',
  connecting: () => 'connecting …',
  silent: (instance) => `no news for ${seconds(instance.silentFor())}`,
  gone: () => 'gone',
};

export class Cards {
  /** Calls act(instance, action, argument) for the buttons. */
  constructor(parent, act) {
    this.parent = parent;
    this.act = act;
  }

  render(instances, portOf) {
    reconcile(
      this.parent,
      instances,
      (instance) => instance.port,
      (instance) => this.create(instance),
      (card, instance) => this.update(card, instance, portOf),
    );
  }

  create(instance) {
    const name = `instance-${instance.port}`;
    const button = (text, action, label) => h('button', {
      type: 'button',
      'data-action': action,
      'aria-label': `${label ?? text}, on instance ${instance.port}`,
      onclick: () => this.act(instance, action),
    }, text);
    const danger = (text, action) => {
      const element = button(text, action);
      element.classList.add('danger');
      return element;
    };
    return h('article', { className: 'card', 'aria-labelledby': name },
      h('header', {},
        h('h3', { id: name }, `Instance ${instance.port}`),
        h('span', { className: 'pid' }),
        h('span', { className: 'status' })),
      h('p', { className: 'problem', hidden: true }),
      h('h4', {}, 'Locks'),
      h('ul', { className: 'locks' }),
      h('p', { className: 'empty' }, 'Holds no lock.'),
      h('h4', {}, 'Waits for'),
      h('ul', { className: 'waiting' }),
      h('p', { className: 'empty' }, 'Nothing.'),
      h('div', { className: 'buttons' },
        button('Buy 1', 'buy'),
        button('Buy 50 at once', 'crowd'),
        button('Sell slowly (8 s)', 'slow'),
        button('Report (30 s)', 'report'),
        danger('Pause for 10 s', 'pause'),
        danger('Kill', 'kill')),
      h('p', { className: 'message', role: 'status' }));
  }

  update(card, instance, portOf) {
    const status = instance.status();
    card.dataset.status = status;
    setText(card.querySelector('.status'), STATUS_TEXT[status](instance));
    setText(card.querySelector('.pid'), instance.pid === null ? '' : `pid ${instance.pid}`);
    setText(card.querySelector('.message'), instance.message);
    this.updateProblem(card.querySelector('.problem'), instance, status);
    const losses = instance.recentLosses();
    const held = (status === 'gone' ? [] : instance.state?.locks ?? [])
      .filter((one) => !losses.some((loss) => loss.lock === one.name && loss.token === one.token));
    const locks = [
      ...losses.map((loss) => ({ key: `lost ${loss.lock} ${loss.token}`, loss })),
      ...held.map((one) => ({ key: `${one.name} ${one.mode} ${one.token}`, held: one })),
    ];
    this.updateList(card.querySelector('.locks'), locks, (entry) => this.createLock(instance, entry),
      (item, entry) => (entry.loss ? updateLoss(item, entry.loss) : updateLock(item, entry.held, instance)));
    this.updateList(card.querySelector('.waiting'),
      (status === 'gone' ? [] : instance.state?.waiting ?? []).map((awaited) => ({ key: `${awaited.name} ${awaited.mode}`, awaited })),
      () => h('li', {}),
      (item, { awaited }) => setText(item, waitText(awaited, instance, portOf)));
  }

  updateProblem(element, instance, status) {
    const text = {
      'in trouble': () => `${instance.state.problem} Locks cannot be acquired until Redis answers again.`,
      silent: () => 'It is paused, or it has stopped answering. What it holds runs out unless it comes back in time.',
      gone: () => 'Its process has ended. Start it again with the command below.',
    }[status]?.() ?? '';
    element.hidden = text === '';
    setText(element, text);
  }

  updateList(list, entries, create, update) {
    reconcile(list, entries, (entry) => entry.key, create, update);
    list.nextElementSibling.hidden = entries.length > 0;
  }

  createLock(instance, { held }) {
    const item = h('li', {},
      h('span', { className: 'state' }), h('strong', { className: 'name' }), h('span', { className: 'token' }),
      h('span', { className: 'times' }));
    if (held) {
      item.append(h('span', { className: 'bar', 'aria-hidden': 'true' }, h('span')));
      if (held.mode === 'WRITE') {
        item.append(h('button', {
          type: 'button',
          className: 'force',
          'aria-label': `Take ${held.name} from instance ${instance.port} by force`,
          onclick: () => this.act(instance, 'force', held.name),
        }, 'Take by force'));
      }
    }
    return item;
  }
}

function updateLoss(item, loss) {
  item.dataset.state = 'LOST';
  setText(item.querySelector('.state'), '✗ LOST');
  setText(item.querySelector('.name'), loss.lock);
  setText(item.querySelector('.token'), `token ${loss.token}`);
  setText(item.querySelector('.times'), loss.detail);
}

function updateLock(item, held, instance) {
  const age = instance.age();
  const left = held.remaining - age;
  const state = left > 0 ? held.state : 'OVER';
  item.dataset.state = state;
  setText(item.querySelector('.state'), { HELD: '● held', AT_RISK: '▲ AT RISK', OVER: '✗ run out' }[state] ?? state);
  setText(item.querySelector('.name'), held.mode === 'WRITE' ? held.name : `${held.name} (${held.mode.toLowerCase()})`);
  setText(item.querySelector('.token'), `token ${held.token}`);
  const risk = state === 'AT_RISK' ? `; ${instance.risks.get(held.name) ?? 'the last renewal failed'}` : '';
  setText(item.querySelector('.times'), `held for ${seconds(held.heldFor + age)}, ${
    held.renewed ? `${held.renewals} renewals` : 'not renewed'}, ${seconds(left)} left${risk}`);
  // the longest time left that was seen stands for the whole lease
  const whole = Math.max(Number(item.dataset.whole ?? 0), held.remaining);
  item.dataset.whole = whole;
  item.querySelector('.bar > span').style.width = `${Math.max(0, Math.min(100, (100 * left) / whole))}%`;
  item.classList.toggle('ticking', Date.now() - (instance.renewedAt.get(held.name) ?? 0) < 600);
}

function waitText(awaited, instance, portOf) {
  const waiters = awaited.waiters === 1 ? '1 caller' : `${awaited.waiters} callers`;
  let owner = '';
  if (awaited.holder !== null) {
    const port = portOf(awaited.holderPid);
    owner = `; held by ${port === undefined ? awaited.holder : `instance ${port}`}`;
    if (awaited.holderRemaining !== null) {
      owner += `, whose lease has ${seconds(awaited.holderRemaining - instance.age())} left`;
    }
  }
  return `${awaited.name}: ${waiters} for ${seconds(awaited.longest + instance.age())}${owner}`;
}
