// Draws what happens to locks: a lane for each instance, and in it a row for each lock, on an axis of 30 seconds, of which
// the last six are the future: a lease is drawn until its end.
//
// Sources, all from the streams of the instances:
// - "news": events of locks, which begin and end bars
// - "state": what an instance holds, twice a second; gives the end of each lease, and repairs bars whose news are missing
// - "redis": what Redis stores; decides what has become of the locks of an instance that does not answer
// - "database": the instances, and the tickets
//
// All processes run on this machine, so that their clocks and that of the browser are the same.

const EVENT = 'show';
const SEATS = 1000;
const LOCKS = [`event:${EVENT}`, 'payment', `report:${EVENT}`];
const SALE = LOCKS[0];
const PAST = 24_000;
const FUTURE = 6_000;
const SILENT_AFTER = 2_000;
const FREEZE_SECONDS = 10;

const EN = {
  title: 'Who holds the lock?',
  intro: 'Instances of one service sell tickets for one show. Only one of them may sell at a time.',
  hold: 'Hold the picture', language: '中文',
  steps: ['Start two instances', 'Slow sale on one', 'Buy 1 on the other', 'Pause the first', 'Its lease ends, the other sells', 'Its late write is refused'],
  buy: 'Buy 1', crowd: '20 buyers', slow: 'Slow sale 10 s', visit: 'Look for 3 s', report: 'Report 20 s', force: 'Take by force', pause: 'Pause 10 s', kill: 'Kill -9',
  freeze: 'Freeze Redis 10 s',
  on: (action, port) => `${action}, instance ${port}`, lane: port => `Instance ${port}`,
  ok: 'running', silent: 'does not answer', gone: 'dead', stopped: 'stopped', connecting: 'connecting',
  legend: 'Legend', legendHeld: 'holds the lock', legendShared: 'shares it: reader, permit', legendWaits: 'waits', legendLeft: 'owner is dead, still locked', legendLost: 'works on without the lock', legendLease: 'until the lease ends', legendRenewed: 'renewed', legendRefused: 'write refused',
  axisNow: 'now', free: 'not held',
  held: h => `holds it · token ${h.token} · lease ends in ${h.left}`,
  risk: h => `not renewed · lease ends in ${h.left}`,
  shared: (n, h, permit) => `${n} ${permit ? (n === 1 ? 'permit' : 'permits') : (n === 1 ? 'reader' : 'readers')} · lease ends in ${h.left}`,
  unheard: h => `holds it in Redis · lease ends in ${h.left}`,
  left: h => `owner is dead · locked in Redis for ${h.left}`,
  lost: 'lease has ended · works on without the lock',
  waits: (n, holder) => `${n === 1 ? 'waits' : n + ' wait'}${holder ? ' for ' + holder : ''}`,
  second: 'A second instance shows more. Start it in another terminal:', again: port => `Instance ${port} does not run. Start it again:`,
  nobody: 'Nobody sells at the moment.', sells: port => `:${port} sells.`, looks: ports => `${ports} ${ports.includes(',') ? 'have' : 'has'} visitors who look at the show.`, waiting: ports => `${ports} must wait.`,
  asleep: port => `:${port} is paused. It holds the lock until its lease ends.`,
  unaware: port => `:${port} is paused, has lost the lock, and does not know it.`, late: port => `:${port} has lost the lock and is late.`,
  dead: port => `:${port} is dead. Its lock remains in Redis until the lease ends.`,
  frozenNow: 'Redis does not answer: no lease can be renewed, and nobody else gets a lock.',
  answers: 'Answers. It keeps who holds each lock, for how long, and the waiting line.', frozen: s => `Has not answered for ${s}.`,
  database: 'Database', sold: (sold, seats) => `${sold} of ${seats} seats sold. Each token must be larger than those before it.`, noDatabase: 'Does not answer.',
  seat: n => `#${n} `, refused: 'refused ',
  log: 'What happened', started: 'has joined', back: 'answers again', silentLog: 'does not answer any more', goneLog: 'has died', stoppedLog: 'has been stopped',
  leaseOver: lock => `lease of ${lock} has ended in Redis`, lostLog: (lock, why) => `lost ${lock}: ${why}`, riskLog: lock => `could not renew ${lock}`, recovered: lock => `renewed ${lock} again`,
  timeout: lock => `gave up waiting for ${lock}`, writeRefused: 'the database refused a late write', frozenLog: 'Redis does not answer', thawed: 'Redis answers again',
  reasons: { EXPIRED: 'the lease has ended', TAKEN_OVER: 'another owner has it', DELETED: 'it was taken away', MAX_HOLD: 'held for too long', OWNER_DIED: 'its thread has died' },
  sending: 'Waiting for the answer …', bought: t => `Ticket ${t.number} sold`, visited: e => `${e.left} seats are left`, reported: r => `Report is written: ${r.sold - r.soldAtStart} sold meanwhile`, forced: r => r.released ? 'The lock was taken from its owner' : 'The lock was free',
  crowdDone: counts => counts.map(([status, n]) => `${n} ${({ 201: 'got a ticket', 409: 'found it sold out', 503: 'were asked to try again', 0: 'got no answer' })[status] ?? 'got status ' + status}`).join(', '),
  failed: (status, detail) => `${status}: ${detail}`, accepted: 'Accepted', noAnswer: 'No answer',
};

const ZH = {
  title: '谁持有锁？',
  intro: '同一服务的多个实例在卖同一场演出的票，同一时刻只能有一个在卖。',
  hold: '定格画面', language: 'English',
  steps: ['启动两个实例', '在一个实例上慢速卖票', '在另一个实例上买 1 张', '暂停第一个实例', '它的租约到期，另一个开始卖', '它迟到的写入被拒绝'],
  buy: '买 1 张', crowd: '20 人抢票', slow: '慢速卖票 10 秒', visit: '浏览 3 秒', report: '写报表 20 秒', force: '强制释放', pause: '暂停 10 秒', kill: 'kill -9',
  freeze: '冻结 Redis 10 秒',
  on: (action, port) => `${action}，实例 ${port}`, lane: port => `实例 ${port}`,
  ok: '运行中', silent: '没有响应', gone: '已崩溃', stopped: '已停止', connecting: '连接中',
  legend: '图例', legendHeld: '持有锁', legendShared: '共享：读锁、许可', legendWaits: '等待', legendLeft: '持有者已崩溃，锁仍在 Redis 中', legendLost: '锁已丢失，仍在执行', legendLease: '租约剩余时间', legendRenewed: '看门狗续期', legendRefused: '写入被拒绝',
  axisNow: '现在', free: '未持有',
  held: h => `持有 · 令牌 ${h.token} · 租约剩余 ${h.left}`,
  risk: h => `续期失败 · 租约剩余 ${h.left}`,
  shared: (n, h, permit) => `${n} 个${permit ? '许可' : '读者'} · 租约剩余 ${h.left}`,
  unheard: h => `在 Redis 中仍持有 · 租约剩余 ${h.left}`,
  left: h => `持有者已崩溃 · 锁在 Redis 中还有 ${h.left}`,
  lost: '租约已到期 · 仍在执行，但已没有锁',
  waits: (n, holder) => `${n} 个在等待${holder ? '，持有者 ' + holder : ''}`,
  second: '再启动一个实例，才能看到它们之间的竞争。在另一个终端中执行：', again: port => `实例 ${port} 没有运行，重新启动它：`,
  nobody: '现在没有实例在卖票。', sells: port => `:${port} 正在卖票。`, looks: ports => `${ports} 上有人在浏览演出。`, waiting: ports => `${ports} 必须等待。`,
  asleep: port => `:${port} 已暂停，租约到期之前仍持有锁。`,
  unaware: port => `:${port} 已暂停，锁已经丢失，但它还不知道。`, late: port => `:${port} 的锁已丢失，它来晚了。`,
  dead: port => `:${port} 已崩溃，租约到期之前，锁仍留在 Redis 中。`,
  frozenNow: 'Redis 没有响应：租约无法续期，其他实例也拿不到锁。',
  answers: '正常。记录每把锁的持有者、剩余时间和等待队列。', frozen: s => `已 ${s} 没有响应。`,
  database: '数据库', sold: (sold, seats) => `${seats} 个座位，已售 ${sold}。令牌必须比之前的都大。`, noDatabase: '没有响应。',
  seat: n => `${n} 号 `, refused: '拒绝 ',
  log: '事件', started: '已加入', back: '恢复响应', silentLog: '不再响应', goneLog: '已崩溃', stoppedLog: '已正常停止',
  leaseOver: lock => `${lock} 的租约在 Redis 中到期`, lostLog: (lock, why) => `丢失 ${lock}：${why}`, riskLog: lock => `${lock} 续期失败`, recovered: lock => `${lock} 恢复续期`,
  timeout: lock => `等待 ${lock} 超时`, writeRefused: '迟到的写入被数据库拒绝', frozenLog: 'Redis 没有响应', thawed: 'Redis 恢复响应',
  reasons: { EXPIRED: '租约到期', TAKEN_OVER: '已被其他持有者获得', DELETED: '被强制释放', MAX_HOLD: '超过最长持有时间', OWNER_DIED: '持有线程已终止' },
  sending: '等待响应……', bought: t => `已售出 ${t.number} 号票`, visited: e => `剩余 ${e.left} 个座位`, reported: r => `报表已完成，期间售出 ${r.sold - r.soldAtStart} 张`, forced: r => r.released ? '锁已从持有者手中收回' : '锁本来就是空闲的',
  crowdDone: counts => counts.map(([status, n]) => `${n} 人${({ 201: '买到票', 409: '遇到售罄', 503: '被要求重试', 0: '没有得到响应' })[status] ?? '得到状态码 ' + status}`).join('，'),
  failed: (status, detail) => `${status}：${detail}`, accepted: '已受理', noAnswer: '没有响应',
};

const chosen = new URLSearchParams(location.search).get('lang') ?? navigator.language;
const chinese = chosen.startsWith('zh');
const T = chinese ? ZH : EN;
document.documentElement.lang = chinese ? 'zh-CN' : 'en';
document.title = T.title;
document.querySelectorAll('[data-t]').forEach(element => { element.textContent = T[element.dataset.t]; });
document.querySelectorAll('[data-a]').forEach(element => element.setAttribute('aria-label', T[element.dataset.a]));
const $ = selector => document.querySelector(selector);

const opened = Date.now();
const instances = new Map(); // by port
const redis = { at: opened, silentSince: null, freezes: [] };
const database = { at: 0 };
const refusals = []; // { token, after: number of the ticket that was the last one }
let step = 0;
let first = null; // the hold of the slow sale that the steps are about
let held = null; // time at which the picture is held

// ---------------------------------------------------------------- formats

const millis = text => {
  const [, hours = 0, minutes = 0, seconds = 0] = /PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?/.exec(text);
  return ((hours * 60 + +minutes) * 60 + +seconds) * 1000;
};
const seconds = ms => `${(Math.max(0, ms) / 1000).toFixed(1)} s`;
/** The last ten of 16 digits: tokens count microseconds, so that they repeat after three hours. */
const short = token => '…' + String(token).slice(-10).replace(/\B(?=(\d{3})+$)/g, '\u202f');
const ports = list => list.map(instance => ':' + instance.port).join(', ');
const shared = mode => mode !== 'WRITE';

// ---------------------------------------------------------------- what happens

function addInstance(port, pid) {
  if (!port || instances.has(port)) {
    return;
  }
  const instance = {
    port, pid, state: 'connecting', seen: 0,
    holds: [], // { lock, mode, token, pid, start, until, end, lost, risk, slot }
    waits: [], // { lock, start, end }: those that are over
    waiting: new Map(), // by lock: { start, count }
    marks: [], // { lock, at, kind }
    silences: [], // { start, end, dead }
  };
  instances.set(port, instance);
  instance.element = createLane(instance);
  const source = new EventSource(`http://${location.hostname}:${port}/live/stream`);
  source.onerror = () => disconnected(instance);
  source.addEventListener('stopped', () => { instance.stopping = true; });
  source.addEventListener('state', message => readState(instance, JSON.parse(message.data)));
  source.addEventListener('news', message => readNews(instance, JSON.parse(message.data)));
  source.addEventListener('redis', message => readRedis(instance, JSON.parse(message.data)));
  source.addEventListener('database', message => readDatabase(JSON.parse(message.data)));
}

function changeState(instance, state, at) {
  const before = instance.state;
  if (before === state) {
    return;
  }
  instance.state = state;
  if (state === 'ok') {
    const silence = instance.silences.at(-1);
    if (silence && !silence.end) {
      silence.end = at;
      log(at, T.back, instance);
    } else if (at - opened > 3_000) {
      log(at, T.started, instance);
    }
  } else if (before === 'ok' || before === 'silent') {
    const silence = instance.silences.at(-1);
    if (silence && !silence.end) {
      silence.dead = state !== 'silent';
    } else {
      instance.silences.push({ start: state === 'silent' ? instance.seen : at, dead: state !== 'silent' });
    }
    log(at, { silent: T.silentLog, gone: T.goneLog, stopped: T.stoppedLog }[state], instance, state !== 'stopped');
  }
  if (state === 'gone' || state === 'stopped') {
    for (const [lock, wait] of instance.waiting) {
      instance.waits.push({ lock, start: wait.start, end: at });
    }
    instance.waiting.clear();
    instance.holds.filter(hold => !hold.end && (hold.lost || state === 'stopped')).forEach(hold => { hold.end = at; });
  }
}

function disconnected(instance) {
  if (instance.state !== 'gone' && instance.state !== 'stopped') {
    changeState(instance, instance.stopping ? 'stopped' : 'gone', Date.now());
  }
  instance.stopping = false;
}

const open = (instance, lock) => instance.holds.filter(hold => hold.lock === lock && !hold.end);
const sameGrant = (hold, lock, mode, token) => hold.lock === lock && hold.mode === mode && hold.token === token;

function begin(instance, lock, mode, token, start, until) {
  const slots = open(instance, lock).map(hold => hold.slot);
  const slot = [0, 1, 2, 3].find(candidate => !slots.includes(candidate)) ?? slots.length % 4;
  const hold = { lock, mode, token, pid: instance.pid, start, until, slot, unseen: 0 };
  instance.holds.push(hold);
  return hold;
}

function readState(instance, state) {
  if (instance.pid !== state.pid) {
    instance.pid = state.pid;
  }
  instance.seen = Date.now();
  changeState(instance, 'ok', state.at);
  const unseen = instance.holds.filter(hold => !hold.end && !hold.lost && hold.pid === state.pid);
  for (const entry of state.held.filter(entry => LOCKS.includes(entry.name))) {
    const heldFor = millis(entry.heldFor);
    // readers of one instance can share a token, so that each entry takes one bar
    const index = unseen.findIndex(hold => sameGrant(hold, entry.name, entry.mode, entry.fencingToken));
    let [hold] = index < 0 ? [] : unseen.splice(index, 1);
    const ended = instance.holds.some(other => sameGrant(other, entry.name, entry.mode, entry.fencingToken) && (other.end > state.at - 1_000 || other.lost));
    if (!hold && heldFor > 700 && !ended) {
      hold = begin(instance, entry.name, entry.mode, entry.fencingToken, state.at - heldFor);
    }
    if (hold) {
      hold.unseen = 0;
      hold.until = state.at + millis(entry.remaining);
      hold.risk = entry.state === 'AT_RISK';
    }
  }
  for (const hold of unseen) {
    hold.unseen += hold.start < state.at - 100 ? 1 : 0;
    if (hold.unseen > 2) { // its news are missing
      hold.end = state.at;
    }
  }
  instance.waiting = new Map(state.awaited.map(entry => [entry.name, { start: state.at - millis(entry.longest), count: entry.waiters, mode: entry.mode }]));
}

function readNews(instance, news) {
  if (!LOCKS.includes(news.lock)) {
    return;
  }
  const { type, lock, mode, token, at } = news;
  instance.seen = Math.max(instance.seen, at);
  const hold = instance.holds.find(candidate => !candidate.end && sameGrant(candidate, lock, mode, token));
  if (news.waited && millis(news.waited) > 40) {
    instance.waits.push({ lock, start: at - millis(news.waited), end: at });
  }
  switch (type) {
    case 'acquired': begin(instance, lock, mode, token, at); break;
    case 'released': if (hold) { hold.end = at; } break;
    case 'renewed': instance.marks.push({ lock, at, kind: 'tick' }); break;
    case 'renewal-failed': instance.marks.push({ lock, at, kind: 'missed' }); break;
    case 'at-risk': log(at, T.riskLog(lock), instance, true); break;
    case 'recovered': log(at, T.recovered(lock), instance); break;
    case 'refused': if (news.detail === 'TIMEOUT' && millis(news.waited) > 1_000) { log(at, T.timeout(lock), instance); } break;
    case 'lost':
      if (hold) {
        hold.lost ??= Math.min(hold.until ?? at, at);
      }
      log(at, T.lostLog(lock, T.reasons[news.detail] ?? news.detail), instance, true);
      break;
    case 'write-refused':
      instance.marks.push({ lock, at, kind: 'cross' });
      refusals.push({ token, after: database.tickets?.[0]?.number ?? 0 });
      log(at, T.writeRefused, instance, true);
      if (first && first.token === token) {
        step = T.steps.length;
      }
      break;
  }
}

/** Redis knows how long the locks of a paused or dead instance last. */
function readRedis(reader, state) {
  if (!state.locks) {
    return;
  }
  redis.at = Math.max(redis.at, state.at);
  for (const [name, stored] of Object.entries(state.locks)) {
    const owners = !stored ? [] : stored.holders.length ? stored.holders : [stored];
    for (const instance of instances.values()) {
      if (instance.state === 'ok' || instance === reader) {
        continue;
      }
      const own = owners.filter(owner => owner.holder?.pid === instance.pid);
      const holds = open(instance, name).filter(hold => !hold.lost);
      if (!own.length) {
        holds.filter(hold => hold.start < state.at - 100).forEach(hold => leaseEnded(instance, hold, state.at));
      }
      own.forEach((owner, index) => {
        const mode = stored.mode ?? 'WRITE';
        const hold = holds[index] ?? (holds.length ? null : begin(instance, name, mode, owner.fencingToken, owner.since ? Date.parse(owner.since) : state.at));
        if (hold) {
          hold.until = state.at + millis(owner.remaining ?? stored.remaining);
        }
      });
    }
  }
}

function leaseEnded(instance, hold, at) {
  if (instance.state === 'silent') {
    hold.lost = Math.min(hold.until ?? at, at); // it can work on when it wakes up
  } else {
    hold.end = Math.min(hold.until ?? at, at);
  }
  log(at, T.leaseOver(hold.lock), instance, true);
}

function readDatabase(state) {
  if (!state.instances) {
    return;
  }
  Object.assign(database, state);
  state.instances.filter(other => other.silentFor < 30_000).forEach(other => addInstance(other.port, other.pid));
}

function log(at, text, instance, bad = false) {
  const list = $('#log ol');
  const item = document.createElement('li');
  const time = document.createElement('time');
  time.textContent = new Date(at).toLocaleTimeString('en-GB');
  const what = document.createElement('span');
  what.textContent = (instance ? `:${instance.port} ` : '') + text;
  item.append(time, what);
  item.classList.toggle('bad', bad);
  list.prepend(item);
  while (list.children.length > 9) {
    list.lastChild.remove();
  }
}

// ---------------------------------------------------------------- passing time

function tick() {
  const now = Date.now();
  for (const instance of instances.values()) {
    if (instance.state === 'ok' && now - instance.seen > SILENT_AFTER) {
      changeState(instance, 'silent', now);
    }
    if (instance.state !== 'ok') {
      instance.holds
        .filter(hold => !hold.end && !hold.lost && hold.until && hold.until < now - 300)
        .forEach(hold => leaseEnded(instance, hold, now));
    }
    instance.holds = instance.holds.filter(hold => !hold.end || hold.end > now - PAST);
    instance.waits = instance.waits.filter(wait => wait.end > now - PAST);
    instance.marks = instance.marks.filter(mark => mark.at > now - PAST);
    instance.silences = instance.silences.filter(silence => !silence.end || silence.end > now - PAST);
  }
  watchRedis(now);
  advance(now);
  show(now);
  if (!held) {
    draw(now);
  }
}

function watchRedis(now) {
  const readers = [...instances.values()].filter(instance => instance.state === 'ok');
  const silent = readers.length > 0 && now - redis.at > SILENT_AFTER;
  if (silent && !redis.silentSince) {
    redis.silentSince = redis.at;
    redis.freezes.push({ start: redis.at });
    log(now, T.frozenLog, null, true);
  } else if (!silent && redis.silentSince && readers.length > 0) {
    redis.silentSince = null;
    redis.freezes.at(-1).end = now;
    log(now, T.thawed, null);
  }
}

/** The steps follow what happens, not which buttons are pressed. */
function advance(now) {
  const all = [...instances.values()];
  const running = all.filter(instance => instance.state === 'ok');
  if (step === 0 && running.length > 1) {
    step = 1;
  }
  const slow = all.flatMap(instance => open(instance, SALE).map(hold => ({ instance, hold })))
    .find(({ hold }) => !shared(hold.mode) && hold !== first?.hold && now - hold.start > 900);
  if (slow && (step === 1 || step === T.steps.length)) {
    first = { ...slow, token: slow.hold.token };
    step = 2;
  }
  if (step < 2 || step >= T.steps.length) {
    return;
  }
  const { instance, hold } = first;
  const others = all.filter(other => other !== instance);
  if (step === 2 && others.some(other => other.waiting.has(SALE))) {
    step = 3;
  }
  if (step === 3 && instance.state === 'silent') {
    step = 4;
  }
  if (step === 4 && others.some(other => other.holds.some(next => next.lock === SALE && next.start > hold.start))) {
    step = 5;
  }
  const over = hold.end && now - hold.end > 1_500;
  if (over && step < T.steps.length) { // it ended in another way
    step = 1;
    first = null;
  }
}

// ---------------------------------------------------------------- the text

const command = port => `./mvnw -q -pl lock-starter-sample -am spring-boot:run${port === 8080 ? '' : ` -Dspring-boot.run.arguments=--server.port=${port}`}`;

function show(now) {
  const all = [...instances.values()];
  [...$('#steps').children].forEach((item, index) => {
    item.classList.toggle('done', index < step);
    index === step ? item.setAttribute('aria-current', 'step') : item.removeAttribute('aria-current');
  });
  showNow(all);
  for (const instance of all) {
    const { element } = instance;
    element.dataset.state = instance.state;
    setText(element.querySelector('h2 .state'), T[instance.state]);
    element.querySelectorAll('button').forEach(button => { button.disabled = instance.state === 'gone' || instance.state === 'stopped'; });
    LOCKS.forEach(lock => showRow(instance, lock, all, now));
  }
  $('#redis').dataset.state = redis.silentSince ? 'silent' : 'ok';
  setText($('#redis .state'), redis.silentSince ? T.frozen(seconds(now - redis.silentSince)) : T.answers);
  const noDatabase = now - database.at > 3_000;
  $('#database').dataset.state = noDatabase ? 'silent' : 'ok';
  setText($('#database .state'), noDatabase ? T.noDatabase : T.sold(database.tickets?.[0]?.number ?? 0, SEATS));
  showTokens();
}

function showNow(all) {
  const sentences = [];
  if (redis.silentSince) {
    sentences.push(T.frozenNow);
  }
  const readers = [];
  for (const instance of all) {
    const holds = open(instance, SALE);
    if (!holds.length) {
      continue;
    }
    const lost = holds.every(hold => hold.lost);
    if (instance.state === 'gone') {
      sentences.push(T.dead(instance.port));
    } else if (instance.state === 'silent') {
      sentences.push((lost ? T.unaware : T.asleep)(instance.port));
    } else if (lost) {
      sentences.push(T.late(instance.port));
    } else if (shared(holds.at(-1).mode)) {
      readers.push(instance);
    } else {
      sentences.push(T.sells(instance.port));
    }
  }
  if (readers.length) {
    sentences.push(T.looks(ports(readers)));
  }
  const waiting = all.filter(instance => instance.state === 'ok' && instance.waiting.has(SALE));
  if (waiting.length) {
    sentences.push(T.waiting(ports(waiting)));
  }
  const gone = all.find(instance => instance.state === 'gone' || instance.state === 'stopped');
  let code = '';
  if (gone) {
    sentences.push(T.again(gone.port));
    code = command(gone.port);
  } else if (all.length === 1) {
    sentences.push(T.second);
    code = command(Number(location.port) + 1);
  }
  const text = (sentences.length ? sentences : [T.nobody]).join(chinese ? '' : ' ');
  if ($('#now').dataset.text !== text + code) { // a screen reader reads each change
    $('#now').dataset.text = text + code;
    $('#now').textContent = text;
    if (code) {
      $('#now').append(Object.assign(document.createElement('code'), { textContent: code }));
    }
  }
}

function showRow(instance, lock, all, now) {
  const row = instance.element.querySelector(`[data-lock="${lock}"]`);
  const holds = open(instance, lock);
  const current = holds.filter(hold => !hold.lost);
  const wait = instance.waiting.get(lock);
  let state = 'free';
  const parts = [];
  if (current.length) {
    const last = current.reduce((one, other) => (one.until ?? 0) > (other.until ?? 0) ? one : other);
    const words = { token: short(last.token), left: seconds((last.until ?? last.start + 6_000) - now) };
    if (instance.state === 'gone') {
      state = 'left';
      parts.push(T.left(words));
    } else if (instance.state === 'silent') {
      state = 'risk';
      parts.push(T.unheard(words));
    } else if (last.risk) {
      state = 'risk';
      parts.push(T.risk(words));
    } else if (shared(last.mode)) {
      state = 'shared';
      parts.push(T.shared(current.length, words, last.mode === 'PERMIT'));
    } else {
      state = 'held';
      parts.push(T.held(words));
    }
  } else if (holds.length) {
    state = 'lost';
    parts.push(T.lost);
  }
  if (wait) {
    state = state === 'free' ? 'waits' : state;
    const owners = all.filter(other => other !== instance && open(other, lock).some(hold => !hold.lost));
    parts.push(T.waits(wait.count, ports(owners)));
  }
  row.dataset.state = state;
  setText(row.querySelector('.state'), parts.length ? parts.join(' · ') : T.free);
}

function showTokens() {
  const tickets = [...database.tickets ?? []].reverse();
  const oldest = tickets[0]?.number ?? 0;
  const chips = tickets.map(ticket => ({ order: ticket.number, token: ticket.token, text: T.seat(ticket.number) }));
  refusals.filter(refusal => refusal.after >= oldest).slice(-4)
    .forEach(refusal => chips.push({ order: refusal.after + .5, token: refusal.token, text: T.refused, refused: true }));
  chips.sort((one, other) => one.order - other.order);
  const list = $('#tokens');
  const key = chips.map(chip => chip.order + '/' + chip.token).join();
  if (list.dataset.key === key) {
    return;
  }
  list.dataset.key = key;
  list.replaceChildren(...chips.map(chip => {
    const item = Object.assign(document.createElement('li'), { title: String(chip.token), textContent: chip.text });
    item.classList.toggle('refused', Boolean(chip.refused));
    item.append(Object.assign(document.createElement(chip.refused ? 's' : 'span'), { textContent: short(chip.token) }));
    return item;
  }));
}

function setText(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

// ---------------------------------------------------------------- the picture

const NS = 'http://www.w3.org/2000/svg';
const HEIGHT = 44;

function draw(now) {
  for (const instance of instances.values()) {
    LOCKS.forEach(lock => drawRow(instance, lock, now));
  }
}

function drawRow(instance, lock, now) {
  const svg = instance.element.querySelector(`[data-lock="${lock}"] svg`);
  const width = svg.clientWidth;
  svg.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
  const x = at => Math.max(0, Math.min(width, (at - now + PAST) / (PAST + FUTURE) * width));
  const parts = [];
  const rect = (className, from, to, y, height) => {
    if (to > now - PAST) {
      const left = x(from);
      parts.push(`<rect class="${className}" x="${left}" y="${y}" width="${Math.max(3, x(to) - left)}" height="${height}" rx="2"/>`);
    }
  };
  for (let at = now + FUTURE - (now + FUTURE) % 5_000; at > now - PAST; at -= 5_000) {
    parts.push(`<line class="grid" x1="${x(at)}" x2="${x(at)}" y1="0" y2="${HEIGHT}"/>`);
  }
  const silent = (from, to, text) => {
    rect('silent', from, to, 0, HEIGHT);
    if (lock === LOCKS.at(-1) && x(to) - x(from) > text.length * (chinese ? 12 : 6)) {
      parts.push(`<text class="note" x="${x(from) + 4}" y="${HEIGHT - 4}">${text}</text>`);
    }
  };
  redis.freezes.forEach(freeze => silent(freeze.start, freeze.end ?? now, T.frozenLog));
  for (const silence of instance.silences) {
    silent(silence.start, silence.end ?? now, silence.dead ? T.gone : T.silent);
    if (silence.dead) {
      parts.push(`<path class="death" d="M${x(silence.start)} 0v${HEIGHT}"/>`);
    }
  }
  for (const hold of instance.holds.filter(candidate => candidate.lock === lock)) {
    const death = instance.silences.find(silence => silence.dead && silence.start >= hold.start)?.start ?? Infinity;
    const end = hold.end ?? now;
    const [y, height] = shared(hold.mode) ? [8 + hold.slot * 5, 4] : [8, 19];
    const good = Math.min(end, hold.lost ?? end, death);
    rect(shared(hold.mode) ? 'shared' : 'held', hold.start, good, y, height);
    if (end > death) {
      rect('left', death, end, y, height);
    } else if (hold.lost && end > hold.lost) {
      rect('lost', hold.lost, end, y, height);
    }
    if (!hold.end && !hold.lost && hold.until > now) {
      rect(shared(hold.mode) ? 'lease shared' : 'lease held', now, hold.until, y, height);
    }
    if (!shared(hold.mode) && x(good) - x(hold.start) > 92) {
      parts.push(`<text class="token" x="${x(hold.start) + 6}" y="22">${short(hold.token)}</text>`);
    }
  }
  for (const wait of instance.waits.filter(candidate => candidate.lock === lock)) {
    rect('waits', wait.start, wait.end, 31, 10);
  }
  const waiting = instance.waiting.get(lock);
  if (waiting) {
    rect('waits', waiting.start, instance.state === 'ok' ? now : instance.seen, 31, 10);
  }
  for (const mark of instance.marks.filter(candidate => candidate.lock === lock && candidate.at > now - PAST)) {
    const at = x(mark.at);
    parts.push({
      tick: `<path class="tick" d="M${at - 4} 1h8l-4 6z"/>`,
      missed: `<path class="missed" d="M${at - 4} 1h8l-4 6z"/>`,
      cross: `<path class="cross" d="M${at - 7} 28l14 14m0-14l-14 14"/>`,
    }[mark.kind]);
  }
  parts.push(`<path class="now" d="M${x(now)} 0v${HEIGHT}"/>`);
  svg.innerHTML = parts.join(''); // numbers and texts of this file only
}

// ---------------------------------------------------------------- buttons

const ACTIONS = {
  buy: { path: `/api/events/${EVENT}/tickets`, done: T.bought },
  crowd: { path: '/live/buyers?count=20', done: counts => T.crowdDone(Object.entries(counts)) },
  slow: { path: `/api/events/${EVENT}/slow-tickets?seconds=10`, done: T.bought },
  visit: { path: `/api/events/${EVENT}?seconds=3`, method: 'GET', done: T.visited },
  report: { path: `/api/events/${EVENT}/report?seconds=20`, done: T.reported },
  force: { path: '/live/force', done: T.forced, trouble: true },
  pause: { path: '/live/pause?seconds=10', trouble: true },
  kill: { path: '/live/kill', trouble: true },
};

async function send(port, path, method = 'POST') {
  // with a cache, a browser sends the second of two equal requests after the first one
  const response = await fetch(`http://${location.hostname}:${port}${path}`, { method, cache: 'no-store', headers: { 'X-Live-Page': 'yes' } });
  const text = await response.text();
  const body = text ? JSON.parse(text) : {};
  if (!response.ok) {
    throw new Error(T.failed(response.status, body.detail ?? ''));
  }
  return body;
}

async function act(instance, name) {
  const action = ACTIONS[name];
  const answer = instance.element.querySelector('.answer');
  answer.textContent = T.sending;
  try {
    const body = await send(instance.port, action.path, action.method);
    answer.textContent = action.done ? action.done(body) : T.accepted;
  } catch (error) {
    answer.textContent = error instanceof TypeError ? T.noAnswer : error.message;
  }
}

function createLane(instance) {
  const { port } = instance;
  const lane = document.createElement('section');
  lane.className = 'lane';
  lane.dataset.port = port;
  lane.setAttribute('aria-label', T.lane(port));
  const heading = document.createElement('h2');
  heading.append(document.createElement('i'), `:${port}`, Object.assign(document.createElement('span'), { className: 'state' }));
  const buttons = Object.assign(document.createElement('div'), { className: 'buttons' });
  for (const [name, action] of Object.entries(ACTIONS)) {
    const button = Object.assign(document.createElement('button'), { textContent: T[name], className: action.trouble ? 'trouble' : '' });
    button.dataset.action = name;
    button.setAttribute('aria-label', T.on(T[name], port));
    button.onclick = () => act(instance, name);
    buttons.append(button);
  }
  const controls = Object.assign(document.createElement('div'), { className: 'controls' });
  controls.append(heading, buttons, Object.assign(document.createElement('p'), { className: 'answer' }));
  const rows = document.createElement('div');
  for (const lock of LOCKS) {
    const row = Object.assign(document.createElement('div'), { className: 'row' });
    row.dataset.lock = lock;
    const label = Object.assign(document.createElement('p'), { className: 'label' });
    label.append(Object.assign(document.createElement('span'), { className: 'name', textContent: lock }), Object.assign(document.createElement('span'), { className: 'state' }));
    const svg = document.createElementNS(NS, 'svg');
    svg.setAttribute('aria-hidden', 'true'); // the label says the same
    svg.setAttribute('preserveAspectRatio', 'none');
    row.append(label, svg);
    rows.append(row);
  }
  lane.append(controls, rows);
  const next = [...$('#lanes').children].find(other => Number(other.dataset.port) > port);
  $('#lanes').insertBefore(lane, next ?? null);
  return lane;
}

[-20, -15, -10, -5, 0, 5].forEach(second => {
  const label = Object.assign(document.createElement('span'), { textContent: second ? `${second < 0 ? '−' : '+'}${Math.abs(second)} s` : T.axisNow });
  label.style.left = `${(second * 1_000 + PAST) / (PAST + FUTURE) * 100}%`;
  $('#axis').append(label);
});
T.steps.forEach(text => $('#steps').append(Object.assign(document.createElement('li'), { textContent: text })));
$('#hold').onclick = () => {
  held = held ? null : Date.now();
  $('#hold').setAttribute('aria-pressed', String(Boolean(held)));
};
$('#language').onclick = () => { location.search = chinese ? 'lang=en' : 'lang=zh'; };
$('#redis button').onclick = () => {
  const reader = [...instances.values()].find(instance => instance.state === 'ok');
  if (reader) {
    send(reader.port, `/live/freeze?seconds=${FREEZE_SECONDS}`).catch(error => log(Date.now(), error.message, reader, true));
  }
};

document.body.insertAdjacentHTML('afterbegin', `<svg class="patterns" aria-hidden="true"><defs>
  <pattern id="waits" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="3" height="6" style="fill:var(--waits)"/></pattern>
  <pattern id="left-by-owner" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)"><rect width="3" height="6" style="fill:var(--held)"/></pattern>
</defs></svg>`);

addInstance(Number(location.port));
send(location.port, `/api/events/${EVENT}?seats=${SEATS}`).catch(error => log(Date.now(), error.message, null, true));
setInterval(tick, 100);
