package recall

import "strings"

// synonyms are words that people use for one thing when they ask and another
// when they tell. A line is one group, each of which stands for the others; in a
// line with ">", the word before it is a kind of which the others are examples,
// and only asking for the kind finds them. Everyday and software English; no
// names, no jargon of any one project.
const thesaurus = `
begin start launch initiate
end finish complete conclude stop
big large huge great
small little tiny
fast quick rapid speed
slow sluggish latency performance
happy glad joyful pleased
sad upset unhappy
angry mad furious
afraid scared fear worried
hard difficult tough challenging
easy simple
old ancient
buy purchase order
sell sale
get receive obtain
gift present
job work career occupation profession employment
boss manager lead
colleague coworker workmate teammate
company firm business employer
store shop boutique
money cash finance financial budget
cost price expense
house home apartment place
move relocate migrate migration
trip travel journey vacation holiday visit
car vehicle automobile
kid child son daughter
mother mom mum parent
father dad parent
family relative parent sibling
brother sibling
sister sibling
wife spouse partner
husband spouse partner
friend buddy pal
marry wedding engaged
dog puppy pup
cat kitten kitty
film movie
picture photo image photograph
paint drawing art artwork
book novel story
song music tune
band concert gig
game match tournament competition contest
win award prize trophy
race marathon run
exercise workout gym fitness
doctor physician hospital
ill sick disease illness
hurt injury injured accident
stress relax destress calm unwind
hobby interest passion activity
volunteer charity donate nonprofit
school college university education class course
teach tutor instruct mentor
learn study
student pupil
religion church faith spiritual
cook recipe bake dish
eat food meal dinner lunch breakfast
drink beverage coffee tea
festival fest event celebration
party celebration birthday
beach ocean sea coast
mountain hike trail climb
forest nature outdoors woods
garden plant flower
city town
country nation homeland
dream goal ambition aspiration plan
help support assist aid
advice suggest recommendation recommend tip
idea thought opinion
like love enjoy favorite favourite
hate dislike
talk speak chat speech conversation
tell say mention
meet encounter
discover find
repair fix patch
break damage
create make build produce
choose pick select decide
change alter modify edit
show display present
need require requirement
want wish desire
try attempt
use utilize usage
remember recall memory
problem issue trouble
reason cause
error failure exception bug fault crash panic
fail break crash
log logging logger trace
config configuration setting option
env environment variable
db database
database > postgres postgresql mysql sqlite mongodb redis surrealdb dynamodb
auth authentication login signin session
authorization permission access role
password secret credential token
key token secret
encrypt tls ssl https certificate
deploy deployment release ship rollout
rollback revert undo
ci pipeline workflow
test spec
tests > pytest jest vitest testing
flaky intermittent unstable flake
lint linter eslint golangci
format formatter prettier gofmt gofumpt
repo repository
branch fork
commit push merge
pr pull
delete remove drop erase
add insert append create
update upgrade bump
dependency package library module
dir directory folder
function method func
class type struct
argument parameter param flag option
endpoint route handler api
request call
response reply answer
queue broker kafka rabbitmq
job worker task cron
schedule cron timer
cache redis memoize
container docker image
kubernetes k8s cluster pod
server host backend
client frontend browser
ui frontend interface page
colour color
language > go golang python rust typescript javascript java ruby
framework > react vue svelte django rails nextjs
timeout deadline hang
retry backoff
race deadlock concurrency
memory ram heap leak
disk storage
network connection socket
limit quota throttle
index search
query sql select
table schema column
document documentation doc readme
style convention guideline
prefer preference favour favor like
rule convention policy
version release tag
copy duplicate clone
monitor metric alert dashboard
email mail
customer user client
payment invoice billing charge
predict inference prediction forecast
dataset data corpus
accuracy error metric
gpu cuda
notebook jupyter
arrive arrival eta
late delay overdue
early soon
wide broad
whole entire complete full
part piece section portion
near close nearby
often frequent regularly
rarely seldom
important crucial critical vital
dangerous risky unsafe
safe secure
private confidential
strange odd weird
annoying irritating
funny humorous
smart clever intelligent
brave courageous
kind generous
proud pride
worried anxious nervous
excited thrilled
surprised amazed shocked
tired exhausted
hungry starving
alone lonely
together jointly
quiet silent calm
loud noisy
clean wash
dirty muddy
wear clothes outfit dress
shoe sneaker boot
hair haircut
baby infant newborn
teenager teen youth
elderly old senior
neighbor neighbour
roommate flatmate
boyfriend girlfriend partner
divorce breakup separation
pregnant expecting
birth born
die death pass
funeral grief
hobby pastime
reading book
library bookstore
poem poetry
dance dancing ballet
sing vocal
actor actress
movie cinema theater theatre
show series
television tv
radio podcast
newspaper news article
photo camera
craft pottery knitting
sew quilt
swim pool
run jog jogging
bike bicycle cycling
ski snowboard
fish fishing
camp camping tent campfire
lake river
island beach
forest woods
animal pet creature
bird parrot
farm barn
flight plane airport fly
train railway
bus coach
hotel hostel
restaurant diner cafe
vegetable vegan vegetarian
fruit apple banana berry
bread bakery
cheese dairy
sugar sweet candy
allergy allergic
diet nutrition
weight kilo pound
sleep nap rest
dream nightmare
therapy therapist counseling counselor
medicine medication drug pill
surgery operation
leg knee ankle foot
arm hand wrist
child kid childhood
school classroom
university campus degree
exam test
homework assignment
scholarship grant
lawyer attorney
police officer cop
soldier military army veteran
politician political politics election
government state
war conflict
peace calm
justice rights equality
community neighborhood neighbourhood
homeless shelter
immigrant migrant refugee
culture tradition custom heritage
language speak
belief faith
christmas holiday
easter holiday
thanksgiving holiday
weekend saturday sunday
morning breakfast
evening night
winter snow cold
summer hot
cold chilly
hot warm
rain storm
pet > dog cat puppy kitten bird fish hamster rabbit turtle horse
instrument > guitar piano violin drum flute clarinet cello
sport > football soccer basketball tennis baseball swimming running cycling
color > red blue green yellow orange purple pink
art > painting pottery drawing sculpture photography
dessert > cake pie cookie chocolate
weather > rain snow sunny storm
`

// related maps a stem to the stems that may stand for it.
var related = readThesaurus(thesaurus)

func readThesaurus(lines string) map[string][]string {
	related := map[string][]string{}
	relate := func(from, to string) {
		if from != to {
			related[from] = append(related[from], to)
		}
	}
	for line := range strings.Lines(lines) {
		kind, examples, directed := strings.Cut(line, ">")
		if directed {
			for _, w := range strings.Fields(examples) {
				relate(stem(strings.TrimSpace(kind)), stem(w))
			}
			continue
		}
		words := strings.Fields(line)
		for _, a := range words {
			for _, b := range words {
				relate(stem(a), stem(b))
			}
		}
	}
	return related
}
